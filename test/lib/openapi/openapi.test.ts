import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { documentSchemas } from '../../../lib/documents/schemas.ts';
import { snapshotProofSchema, snapshotsSchema } from '../../../lib/history/schemas.ts';
import { errorTable } from '../../../lib/errors.ts';
import { describedApi } from '../../openapi/description.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { describeWithGenerators, requireGenerator } from '../../support/generators.ts';
import { runProgram } from '../../support/program.ts';

interface Content {
  'application/json': { examples: Record<string, { value?: unknown; $ref?: string }> };
}

interface Description {
  paths: Record<string, { get: { operationId: string; responses: Record<string, { content: Content }> } }>;
  components: {
    responses: Record<string, { content: Content }>;
    examples: Record<string, { value: unknown }>;
  };
}

const file = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const description = JSON.parse(JSON.stringify(describedApi())) as Description;
const schemas = { ...documentSchemas, snapshots: snapshotsSchema, proof: snapshotProofSchema };

const named = (ref: string) => description.components.examples[ref.split('/').at(-1)!]!.value;

/** The examples of a response by their names. */
function examplesOf({ content }: { content?: Content }): Record<string, unknown> {
  const examples = Object.entries(content?.['application/json'].examples ?? {});
  return Object.fromEntries(examples.map(([name, { value, $ref }]) => [name, $ref ? named($ref) : value]));
}

describeWithGenerators('Redocly', () => {
  test('finds nothing to complain of in the OpenAPI description', async () => {
    const { status, stdout, stderr } = await runProgram(
      requireGenerator.resolve('@redocly/cli/bin/cli.js'),
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

  test('has exactly the operations of the API, all GET, each with an example that is valid', () => {
    const found = Object.entries(description.paths).map(([path, item]) => [path, Object.keys(item)]);
    expect(found).toEqual(operations.map(({ path }) => [path, ['get']]));
    for (const { operationId, path, answer } of operations) {
      const { get } = description.paths[path]!;
      expect(get.operationId).toBe(operationId);
      const { demo, ...others } = examplesOf(get.responses['200']!);
      expect(others).toEqual({});
      expect(() => schemas[answer].parse((demo as { data: unknown }).data)).not.toThrow();
    }
  });

  test('has every error code, with its message, as an example of its status', () => {
    const examples = Object.values(description.components.responses).map(examplesOf);
    const expected = Object.entries(errorTable).map(([code, { message }]) => [
      code,
      { error: { code, message } },
    ]);
    expect(Object.assign({}, ...examples)).toEqual(Object.fromEntries(expected));
  });

  test('allows new fields: no schema forbids unknown ones', () => {
    expect(JSON.stringify(description)).not.toContain('"additionalProperties":false');
  });
});
