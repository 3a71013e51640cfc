import { z } from 'zod';
import type { ComparedDocument } from '../../lib/documents/kinds.ts';
import { documentSchemas } from '../../lib/documents/schemas.ts';
import { OWN_ROW } from '../../lib/weeks/rows.ts';
import { engineName } from '../../lib/weeks/words.ts';
import { isKeyOfRow } from './changes.ts';
import type { Change, Json } from './changes.ts';

/** The texts of prompts, by id. */
export type Names = ReadonlyMap<string, string>;

/**
 * The place of a change: `visibility › per engine › ChatGPT › score`. Fields have the names that they have in the documents,
 * rows their keys: engines by name, prompts by text.
 */
export function placeInWords(document: ComparedDocument, { path, change }: Change, names: Names): string {
  const words = path.flatMap((part, index) => {
    if (!isKeyOfRow(document, path, index)) return nameInWords(part);
    return document === 'brands' ? [] : keyInWords(part, names);
  });
  const place = [document, ...words].join(' › ');
  return change === 'changed' ? place : `${place} (${change})`;
}

/** `bandLow` as `band low`. */
export function nameInWords(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function keyInWords(key: string, names: Names): string {
  return key === OWN_ROW ? key : (names.get(key) ?? engineName(key));
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

const described: Partial<Record<ComparedDocument, JsonSchema>> = {};

/** What the field of a change is: the first sentence of its description in the API; null for a whole row. */
export function meaningOf(document: ComparedDocument, path: readonly string[]): string | null {
  const whole: JsonSchema = (described[document] ??= z.toJSONSchema(documentSchemas[document]));
  const resolved = (node: JsonSchema): JsonSchema => {
    const inner = node.anyOf?.[0];
    if (node.$ref !== undefined) return whole.$defs![node.$ref.slice('#/$defs/'.length)]!;
    return inner === undefined ? node : resolved(inner);
  };
  let node: JsonSchema | undefined = whole;
  let isField = false;
  for (const part of path) {
    const { properties, items, additionalProperties }: JsonSchema = resolved(node);
    isField = properties?.[part] !== undefined;
    node = (properties?.[part] ?? items ?? additionalProperties) as JsonSchema | undefined;
    if (typeof node !== 'object') return null;
  }
  const text = isField ? (node.description ?? resolved(node).description) : undefined;
  return text?.replace(/(?<=\.) .*/s, '') ?? null;
}

const LONGEST = 60;

/** A value for people, shortened; a row as the list of its fields. */
export function valueInWords(value: Json, names: Names): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return shorten(names.get(value) ?? value);
  if (Array.isArray(value)) return shorten(value.map((each) => valueInWords(each, names)).join(', '));
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value).filter(
    ([name, field]) => (typeof field !== 'object' || field === null) && !/^(?:id|promptId)$/.test(name),
  );
  return shorten(
    fields
      .map(([name, field]) =>
        name === 'slug' && typeof field === 'string'
          ? engineName(field)
          : `${nameInWords(name)} ${valueInWords(field, names)}`,
      )
      .join(', '),
  );
}

function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const graphemes = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
  return graphemes.length > LONGEST ? `${graphemes.slice(0, LONGEST - 1).join('')}…` : text;
}
