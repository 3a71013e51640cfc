import { expect, test } from 'vitest';
import { z } from 'zod';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import { documentSchemas } from '../../../lib/documents/schemas.ts';
import { projectFiles, textOf } from '../../house/files.ts';

interface JsonSchema {
  type?: string;
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  $ref?: string;
  anyOf?: JsonSchema[];
  $defs?: Record<string, JsonSchema>;
}

/** The fields of a document by path, as `perEngine[].score`; `*` is any key. Constants are left out. */
function fieldsOf(schema: JsonSchema, definitions: Record<string, JsonSchema>, path = ''): string[] {
  const { const: constant, properties, items, additionalProperties: others, $ref, anyOf } = schema;
  if ($ref !== undefined) return fieldsOf(definitions[$ref.split('/').at(-1)!]!, definitions, path);
  // A value or null.
  if (anyOf !== undefined) return fieldsOf(anyOf[0]!, definitions, path);
  if (constant !== undefined) return [];
  if (items !== undefined) return fieldsOf(items, definitions, `${path}[]`);
  if (typeof others === 'object') return fieldsOf(others, definitions, `${path}.*`);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, property]) =>
    fieldsOf(property, definitions, path === '' ? name : `${path}.${name}`),
  );
}

/** What a query says that it feeds, in its first comment. */
function feedsOf(file: string): string[] {
  const comment = /^(?:-- .*\n)+/.exec(textOf(file))![0].replaceAll(/^-- /gm, '').replaceAll('\n', ' ');
  return / Feeds ([^ ]+(?:, [^ ]+)*)\. /.exec(comment)?.[1]!.split(', ') ?? [];
}

/** The week and the tables are made of the others. */
const documentNames = ['brands', ...documentKinds] as const;

const folder = 'jobs/weekly/documents/';
const queries = projectFiles().filter((path) => path.startsWith(folder) && path.endsWith('.sql'));

test.each(documentNames)('every field of the %s document is fed by one query of its folder', (name) => {
  const schema = z.toJSONSchema(documentSchemas[name], { io: 'output' }) as JsonSchema;
  const fields = fieldsOf(schema, schema.$defs ?? {}, name === 'brands' ? 'brands' : '');
  const own = queries.filter((path) => path.startsWith(`${folder}${name}/`)).flatMap(feedsOf);
  const expected = name === 'brands' ? [...fields, 'brand.id', 'brand.name', 'brand.domain'] : fields;
  const isFedHere = (field: string) => name === 'brands' || !field.startsWith('brand.');
  expect(own.toSorted()).toEqual(expected.filter(isFedHere).toSorted());
});

test('a document has a folder, and every folder a document', () => {
  const folders = new Set(queries.map((path) => path.slice(folder.length).split('/')[0]!));
  expect([...folders].toSorted()).toEqual([...documentNames].toSorted());
});
