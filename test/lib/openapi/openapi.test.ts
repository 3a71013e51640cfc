import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { documentNames } from '../../../lib/documents/kinds.ts';
import { documentSchemas } from '../../../lib/documents/schemas.ts';
import type { Status } from '../../../lib/openapi/headers.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { snapshotProofSchema, snapshotsSchema } from '../../../lib/history/schemas.ts';
import { errorBody, errorTable } from '../../../lib/errors.ts';
import { describedApi } from '../../openapi/description.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { describeWithGenerators, requireGenerator } from '../../support/generators.ts';

interface Response {
  $ref?: string;
  headers: Record<string, { $ref: string }>;
  content?: { 'application/json': { examples: Record<string, { value: unknown } | { $ref: string }> } };
}

interface Operation {
  operationId: string;
  parameters: { $ref: string }[];
  responses: Record<string, Response>;
}

interface Description {
  info: { version: string; description: string };
  servers: { url: string }[];
  externalDocs: { url: string };
  security: Record<string, unknown>[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { properties?: Record<string, { properties?: object }> }>;
    responses: Record<string, Response>;
    headers: Record<string, { schema: object; description: string }>;
    examples: Record<string, { value: unknown }>;
    parameters: Record<string, { name: string; in: string; required?: boolean }>;
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
    const { status, output } = await lint(file);
    expect(output).toContain('Your API description is valid');
    expect(output).not.toMatch(/warning/i);
    expect(status).toBe(0);
  });
});

describe('the OpenAPI description', () => {
  test('docs/openapi.json is up to date (npm run openapi)', () => {
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(description, null, 2)}\n`);
  });

  test('is version 1.0.0 with both ways to send a key', () => {
    expect(description.info.version).toBe('1.0.0');
    expect(description.security).toEqual([{ bearer: [] }, { apiKey: [] }]);
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

  test("the example of visibility looks like a customer's: several engines with real bands, and an alert", () => {
    const [[, body]] = examplesOf(responseOf('getVisibility', 200)) as [[string, { data: Visibility }]];
    const { perEngine, alerts } = body.data;
    expect(perEngine.length).toBeGreaterThan(3);
    const widths = perEngine.map(({ bandLow, bandHigh }) => bandHigh! - bandLow!);
    expect(widths.filter((width) => width > 0 && width < 100)).toHaveLength(perEngine.length);
    expect(alerts).not.toEqual([]);
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

  test('has an absolute server URL, that of a gateway with default settings', () => {
    expect(description.servers.map(({ url }) => url)).toEqual(['http://127.0.0.1:8080']);
    // The gateway replaces one address, so there must be one.
    expect(JSON.stringify(description).split('http://127.0.0.1:8080')).toHaveLength(2);
    expect(description.externalDocs.url).toBe('docs');
  });

  test.each(operations)(
    '$operationId takes If-None-Match and Accept-Encoding, both optional',
    ({ operationId }) => {
      const { parameters } = described(operationId);
      const taken = parameters.map(({ $ref }) => description.components.parameters[$ref.split('/').at(-1)!]!);
      const optional = taken.filter(({ in: where, required }) => where === 'header' && required !== true);
      expect(optional.map(({ name }) => name)).toEqual(['If-None-Match', 'Accept-Encoding']);
    },
  );

  test('trend lists its engines as optional properties', () => {
    const trend = description.components.schemas['Visibility']!.properties!['trend']!;
    expect(Object.keys(trend.properties!)).toEqual(engineSlugs);
    expect(trend).not.toHaveProperty('required');
    expect(trend).not.toHaveProperty('propertyNames');
  });

  test('no schema has the name of a built-in type of a target language', () => {
    expect(Object.keys(description.components.schemas).filter((name) => name in globalThis)).toEqual([]);
  });

  test('no header has a maximum, and the allowances of the plans are given as numbers', () => {
    for (const { schema } of Object.values(description.components.headers))
      expect(schema).not.toHaveProperty('maximum');
    const allowances = '60 requests on the Agency plan, 120 on Scale, 600 on Enterprise';
    expect(description.info.description).toContain(allowances);
    expect(description.components.headers['X-RateLimit-Limit']!.description).toContain(allowances);
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

async function lint(path: string): Promise<{ status: number | null; output: string }> {
  const redocly = requireGenerator.resolve('@redocly/cli/bin/cli.js');
  const child = spawn(process.execPath, [redocly, 'lint', '--extends', 'recommended-strict', path], {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, output };
}
