import { z } from 'zod';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import { documentSchemas } from '../../lib/documents/schemas.ts';

interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  type?: string | string[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema;
  items?: JsonSchema;
}

/** DuckDB's type for the `data` of a document, by its schema. */
export function documentType(kind: DocumentKind): string {
  const schema = z.toJSONSchema(documentSchemas[kind], { io: 'output' }) as JsonSchema;
  return typeOf(schema, schema.$defs ?? {});
}

const scalarTypes: Record<string, string> = { boolean: 'BOOLEAN', integer: 'BIGINT', number: 'DOUBLE' };

function typeOf(schema: JsonSchema, definitions: Record<string, JsonSchema>): string {
  const { $ref, anyOf, type, format, properties, additionalProperties, items } = schema;
  if ($ref !== undefined) return typeOf(definitions[$ref.split('/').at(-1)!]!, definitions);
  // A value or null, as in a list of types.
  if (anyOf !== undefined) return typeOf(anyOf[0]!, definitions);
  if (items !== undefined) return `${typeOf(items, definitions)}[]`;
  if (properties !== undefined) {
    const fields = Object.entries(properties);
    return `STRUCT(${fields.map(([name, field]) => `"${name}" ${typeOf(field, definitions)}`).join(', ')})`;
  }
  if (additionalProperties !== undefined) return `MAP(VARCHAR, ${typeOf(additionalProperties, definitions)})`;
  const scalar = Array.isArray(type) ? type[0]! : type!;
  return format === 'date' ? 'DATE' : (scalarTypes[scalar] ?? 'VARCHAR');
}
