import type { ComparedDocument } from '../../lib/documents/kinds.ts';
import { OWN_ROW, byKey } from '../../lib/weeks/rows.ts';
import type { Keyed } from '../../lib/weeks/rows.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One value of a document that differs. */
export interface Change {
  /** JSON pointer (RFC 6901) into the newer document; into the older one if the value was removed. */
  pointer: string;
  /** JSON pointer into the older document, if it differs from `pointer`. */
  pointerBefore: string | null;
  /** The same place in words, with the keys of rows instead of their numbers: `perEngine`, `chatgpt`, `score`. */
  path: string[];
  /** `reordered`: rows of both documents are in another order; `old` and `new` are their keys. */
  change: 'changed' | 'added' | 'removed' | 'reordered';
  old: Json;
  new: Json;
}

type Row = { [key: string]: Json };

/** The fields that identify the rows of a list, by the list's path, with `*` for a row or an engine. */
const rowKeys: Record<ComparedDocument, Record<string, (row: Row) => string>> = {
  brands: { '': byField('id') },
  visibility: {
    perEngine: byField('slug'),
    silent: byField('slug'),
    alerts: byField('slug'),
    'trend/*': byField('date'),
    events: (row) => ['date', 'slug', 'text'].map((field) => text(row[field])).join(' '),
  },
  stability: {
    prompts: byField('promptId'),
    'prompts/*/engines': byField('slug'),
    'prompts/*/engines/*/core': byField('entity'),
    'prompts/*/engines/*/carousel': byField('entity'),
  },
  competitors: {
    perEngine: byField('slug'),
    shareOfVoice: nameOfRow,
    'shareOfVoice/*/perEngine': byField('slug'),
  },
  sources: { sources: byField('domain'), 'ownSite/perEngine': byField('slug') },
  results: { prompts: byField('promptId'), 'prompts/*/engines': byField('slug') },
  timeline: { engines: byField('slug'), names: nameOfRow, 'names/*/engines': byField('slug') },
  prompts: { prompts: byField('id') },
};

function byField(name: string): (row: Row) => string {
  return (row) => text(row[name]);
}

/** A competitor may have the brand's name, and a brand may be renamed. */
function nameOfRow(row: Row): string {
  return row['isBrand'] === true ? OWN_ROW : text(row['name']);
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * True if part `index` of a change's path is the key of a row, such as a prompt's id; false for the name of a field.
 */
export function isKeyOfRow(document: ComparedDocument, path: readonly string[], index: number): boolean {
  const pattern: string[] = [];
  for (const part of path.slice(0, index)) pattern.push(isList(document, pattern) ? '*' : part);
  return isList(document, pattern);
}

/** `trend` is compared like a list: its keys are the slugs of engines. */
function isList(document: ComparedDocument, pattern: readonly string[]): boolean {
  const place = pattern.join('/');
  return place === 'trend' || rowKeys[document][place] !== undefined;
}

/** Everything that differs between the `data` of two documents. Rows are matched by key. */
export function changesBetween(document: ComparedDocument, before: Json, after: Json): Change[] {
  const place: Place = { document, path: [], pattern: [], pointers: ['/data', '/data'], changes: [] };
  compare(place, before, after);
  return place.changes;
}

interface Place {
  document: ComparedDocument;
  path: string[];
  pattern: string[];
  /** The JSON pointers into the older document and into the newer one. */
  pointers: [string, string];
  changes: Change[];
}

function compare(place: Place, before: Json, after: Json): void {
  const keyOf = rowKeys[place.document][place.pattern.join('/')];
  if (keyOf !== undefined && Array.isArray(before) && Array.isArray(after)) {
    compareRows(place, byKey(before as Row[], keyOf), byKey(after as Row[], keyOf));
  } else if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const isSeries = place.pattern.join('/') === 'trend';
      const child = stepInto(place, name, isSeries ? '*' : name, [escape(name), escape(name)]);
      compareMaybe(child, before[name], after[name]);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    record(place, 'changed', before, after);
  }
}

function compareMaybe(place: Place, before: Json | undefined, after: Json | undefined): void {
  if (before === undefined) record(place, 'added', null, after!);
  else if (after === undefined) record(place, 'removed', before, null);
  else compare(place, before, after);
}

function compareRows(place: Place, before: Keyed<Row>, after: Keyed<Row>): void {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(key);
    const now = after.get(key);
    const indexes: [string, string] = [String((old ?? now)!.index), String((now ?? old)!.index)];
    compareMaybe(stepInto(place, key, '*', indexes), old?.row, now?.row);
  }
  const orderBefore = [...before.keys()].filter((key) => after.has(key));
  const orderAfter = [...after.keys()].filter((key) => before.has(key));
  if (orderBefore.some((key, index) => key !== orderAfter[index])) {
    record(place, 'reordered', orderBefore, orderAfter);
  }
}

function stepInto(place: Place, name: string, pattern: string, tokens: [string, string]): Place {
  const pointers: [string, string] = [
    `${place.pointers[0]}/${tokens[0]}`,
    `${place.pointers[1]}/${tokens[1]}`,
  ];
  return { ...place, path: [...place.path, name], pattern: [...place.pattern, pattern], pointers };
}

function record(place: Place, change: Change['change'], old: Json, now: Json): void {
  const [pointerBefore, pointer] = place.pointers;
  place.changes.push({
    pointer: change === 'removed' ? pointerBefore : pointer,
    pointerBefore:
      pointerBefore === pointer || change === 'added' || change === 'removed' ? null : pointerBefore,
    path: place.path,
    change,
    old,
    new: now,
  });
}

function isObject(value: Json): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escape(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
