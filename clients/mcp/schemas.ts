/* Writes schemas.json from docs/openapi.json: the document schemas for the tools' output, and the engines. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
}

const documents = [
  'Brands',
  'Visibility',
  'Stability',
  'Competitors',
  'Sources',
  'Results',
  'Prompts',
  'Snapshots',
] as const;

/**
 * `documents`: the document schemas without `$ref`, reduced to types and descriptions. Without required fields, ranges
 * and enums they also accept documents of older and newer services, and shortened lists. `engines`: the slugs of all
 * engines.
 */
export function schemas(): { documents: Record<string, Schema>; engines: string[] } {
  const path = join(import.meta.dirname, '../../docs/openapi.json');
  const { components } = JSON.parse(readFileSync(path, 'utf8')) as {
    components: { schemas: Record<string, Schema> };
  };
  const shapeOf = ({ $ref, type, description, properties, items }: Schema): Schema => {
    if ($ref !== undefined) return shapeOf(components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]!);
    return {
      ...(type !== undefined && { type }),
      ...(description !== undefined && { description }),
      ...(items !== undefined && { items: shapeOf(items) }),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, schema]) => [name, shapeOf(schema)]),
        ),
      }),
    };
  };
  return {
    documents: Object.fromEntries(documents.map((name) => [name, shapeOf(components.schemas[name]!)])),
    engines: components.schemas['EngineSlug']!.enum!,
  };
}

if (process.argv[1] === import.meta.filename) {
  const file = join(import.meta.dirname, 'schemas.json');
  writeFileSync(file, `${JSON.stringify(schemas(), null, 2)}\n`);
}
