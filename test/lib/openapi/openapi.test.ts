import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { documentNames } from '../../../lib/documents/kinds.ts';
import { documentSchemas } from '../../../lib/documents/schemas.ts';
import type { Status } from '../../../lib/openapi/headers.ts';
import { snapshotProofSchema, snapshotsSchema } from '../../../lib/history/schemas.ts';
import { errorBody, errorTable } from '../../../lib/errors.ts';
import { describedApi } from '../../openapi/description.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { describeWithGenerators, requireGenerator } from '../../support/generators.ts';
import { runProgram } from '../../support/program.ts';

interface Response {
  $ref?: string;
  headers: Record<string, { $ref: string }>;
  content?: { 'application/json': { examples: Record<string, { value: unknown } | { $ref: string }> } };
}

interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties?: Record<string, { properties?: object }> }>;
    responses: Record<string, Response>;
    examples: Record<string, { value: unknown }>;
  };
}

const file = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const description = JSON.parse(JSON.stringify(describedApi())) as Description;

function described(id: string): Operation {
  return Object.values(description.paths).find(({ get }) => get!.operationId === id)!['get']!;
}

function responseOf(id: string, status: Status): Response {
  const response = described(id).responses[status]!;
  const name = response.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : description.components.responses[name]!;
}

function examplesOf(response: Response): [string, unknown][] {
  const examples = Object.entries(response.content?.['application/json'].examples ?? {});
  return examples.map(([name, example]) => [
    name,
    '$ref' in example
      ? description.components.examples[example.$ref.replace('#/components/examples/', '')]!.value
      : example.value,
  ]);
}

const schemas = { ...documentSchemas, snapshots: snapshotsSchema, proof: snapshotProofSchema };

describeWithGenerators('Redocly', () => {
  test('finds nothing to complain of in the OpenAPI description', async () => {
    const redocly = requireGenerator.resolve('@redocly/cli/bin/cli.js');
    const { status, stdout, stderr } = await runProgram(
      redocly,
      ['lint', '--extends', 'recommended-strict', file],
      { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    );
    expect(stdout + stderr).toContain('Your API description is valid');
    expect(stdout + stderr).not.toMatch(/warning/i);
    expect(status).toBe(0);
  });
});

describe('the OpenAPI description', () => {
  test('docs/openapi.json is up to date (npm run openapi)', () => {
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(description, null, 2)}\n`);
  });

  test('has exactly the operations of the API, all GET', () => {
    const found = Object.entries(description.paths).map(([path, item]) => [path, Object.keys(item)]);
    expect(found).toEqual(operations.map(({ path }) => [path, ['get']]));
    for (const { operationId, path } of operations)
      expect(description.paths[path]!['get']!.operationId).toBe(operationId);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(2 * documentNames.length + 2);
  });

  test.each(operations)('$operationId has every status that it can return', ({ operationId, path }) => {
    const withoutBrand = ['200', '304', '401', '402', '429', '500'];
    const statuses = Object.keys(described(operationId).responses);
    expect(statuses).toEqual(
      !path.includes('{') && !path.endsWith('/week') ? withoutBrand : [...withoutBrand, '404'].toSorted(),
    );
  });

  test.each(operations)('$operationId has an example that is valid', ({ operationId, answer }) => {
    const [[name, body], ...others] = examplesOf(responseOf(operationId, 200)) as [
      [string, { data: unknown }],
    ];
    expect([name, others]).toEqual(['demo', []]);
    expect(() => schemas[answer].parse(body.data)).not.toThrow();
  });

  test('every error code is an example of its status, as the gateway sends it', () => {
    const found = ([401, 402, 404, 429, 500] as const).flatMap((status) =>
      examplesOf(responseOf('getSources', status)).map(([code, body]) => ({ status, code, body })),
    );
    const table = Object.entries(errorTable).map(([code, { status, message }]) => ({
      status,
      code,
      body: { error: { code, message } },
    }));
    expect(found).toEqual(table);
    for (const { body } of found) expect(errorBody.safeParse(body).success).toBe(true);
  });

  const rateLimit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  test.each([
    [200, [...rateLimit, 'ETag', 'Vary', 'X-Snapshot-Id', 'Last-Modified']],
    [304, [...rateLimit, 'ETag', 'Vary', 'X-Snapshot-Id', 'Last-Modified']],
    [401, ['WWW-Authenticate']],
    [402, []],
    [404, []],
    [429, [...rateLimit, 'Retry-After']],
    [500, []],
  ] as const)('status %s carries its headers and no others', (status, own) => {
    const names = Object.keys(responseOf('getSources', status).headers);
    expect(names.toSorted()).toEqual([...own, 'Cache-Control', 'X-Request-Id'].toSorted());
  });

  test('describes every schema and every field of its own', () => {
    const mute = Object.entries(description.components.schemas).flatMap(([name, schema]) =>
      undescribed(schema, name),
    );
    expect(mute).toEqual([]);
  });

  test('allows new fields: no schema forbids unknown ones', () => {
    expect(JSON.stringify(description)).not.toContain('"additionalProperties":false');
  });
});

/** Paths of the schemas below an object schema, itself included, that have neither a description nor a reference. */
function undescribed(schema: object, path: string): string[] {
  const { description: told, $ref, properties } = schema as Record<string, object | string | undefined>;
  const inner = Object.entries((properties ?? {}) as Record<string, object>);
  const isWrapper = path.endsWith('.error');
  const own = told === undefined && $ref === undefined && !isWrapper ? [path] : [];
  return [...own, ...inner.flatMap(([name, property]) => undescribed(property, `${path}.${name}`))];
}
