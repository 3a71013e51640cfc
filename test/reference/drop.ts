import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dateOf, engines, filled, instantOf, isObject, linkOf, oneOf, optional } from './records.ts';
import { Refusal, runOf, shortText, Spelled, uuid } from './records.ts';
import type { Fields, Run, Tracked } from './records.ts';
import { byText } from './text.ts';

export const trackingKinds = ['workspaces', 'brands', 'competitors', 'prompts', 'events'] as const;
export type TrackingKind = (typeof trackingKinds)[number];

/** A delivered drop and the date of its tracking data. */
export interface Delivery {
  folder: string;
  date: string;
  /** `--partial-tracking` and `--empty-tracking`. */
  partialTracking?: boolean;
  emptyTracking?: boolean;
}

/** The result of a sequence of deliveries (docs/ingest.md). */
export interface Delivered {
  runs: Map<string, Run>;
  states: { kind: TrackingKind; date: string; records: Tracked[] }[];
  refused: { delivery: number; file: string; line: number }[];
}

const readers: Record<TrackingKind, (fields: Fields) => Tracked> = {
  workspaces: (f) => ({ id: uuid(f['id']), name: filled(f['name']), createdAt: instantOf(f['created_at']) }),
  brands: (f) => ({
    id: uuid(f['id']),
    workspaceId: uuid(f['workspace_id']),
    name: filled(f['name']),
    domain: freeText(f['domain']),
    createdAt: instantOf(f['created_at']),
  }),
  competitors: (f) => ({ id: uuid(f['id']), brandId: uuid(f['brand_id']), name: filled(f['name']) }),
  prompts: (f) => ({
    id: uuid(f['id']),
    brandId: uuid(f['brand_id']),
    text: filled(f['text'], 10_000),
    isActive: truth(f['is_active']),
    createdAt: instantOf(f['created_at']),
    tags: optional(f['tags'], tagsOf) ?? [],
  }),
  events: (f) => ({
    id: uuid(f['id']),
    ...(f['workspace_id'] === undefined || f['workspace_id'] === null
      ? {}
      : { workspaceId: uuid(f['workspace_id']) }),
    engine: optional(f['engine'], (value) => oneOf(value, engines)),
    date: dateOf(f['date']),
    text: shortText(filled(f['text']), 1000),
    url: optional(f['url'], linkOf),
  }),
};

/** Never a reason to refuse: a value that is not a text is used as it was written. */
function freeText(value: unknown): string {
  if (value instanceof Spelled) return value.source;
  return typeof value === 'string' ? value : JSON.stringify(value ?? '').replace(/^""$/, '');
}

function tagsOf(value: unknown): string[] {
  if (!Array.isArray(value) || value.length > 50) throw new Refusal('tags');
  return value.map((tag) => shortText(tag, 100));
}

function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Refusal('boolean');
  return value;
}

export function readDeliveries(deliveries: readonly Delivery[]): Delivered {
  const delivered: Delivered = { runs: new Map(), states: [], refused: [] };
  /** Files by their identity, and whether they were ingested. */
  const seen = new Map<string, boolean>();
  for (const [index, delivery] of deliveries.entries()) {
    const { folder, date } = delivery;
    for (const file of readdirSync(folder).toSorted(byText)) {
      const stem = /^(workspaces|brands|competitors|prompts|events|runs.*)\.ndjson(\.gz)?$/.exec(file)?.[1];
      if (stem === undefined) continue;
      const bytes = readFileSync(join(folder, file));
      const kind = trackingKinds.find((candidate) => candidate === stem);
      const kindAndDate = kind === undefined ? 'runs' : `${kind} ${date}`;
      const name = `${kindAndDate} ${bytes.toString('base64')}`;
      if (seen.get(name) === true) continue;
      const refused: Delivered['refused'] = [];
      const refuse = (line: number) => void refused.push({ delivery: index, file, line });
      const lines = linesOf(file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
      let isTaken = true;
      if (kind === undefined) takeRecords(lines, runOf, delivered.runs, refuse);
      else {
        const records = new Map<string, Tracked>();
        takeRecords(lines, readers[kind], records, refuse);
        isTaken =
          (refused.length === 0 || delivery.partialTracking === true) &&
          (records.size > 0 || delivery.emptyTracking === true);
        if (isTaken) delivered.states.push({ kind, date, records: [...records.values()] });
      }
      if (isTaken || !seen.has(name)) delivered.refused.push(...refused);
      // Files that are no longer in force are read again.
      if (isTaken && kind !== undefined) forgetIngested(seen, `${kindAndDate} `);
      seen.set(name, isTaken);
    }
  }
  return delivered;
}

function forgetIngested(seen: Map<string, boolean>, beginning: string): void {
  for (const [name, isTaken] of seen) if (isTaken && name.startsWith(beginning)) seen.delete(name);
}

function takeRecords<Taken extends { id: string }>(
  lines: readonly Buffer[],
  read: (fields: Fields) => Taken,
  taken: Map<string, Taken>,
  refuse: (line: number) => void,
): void {
  for (const [index, line] of lines.entries()) {
    try {
      if (!isUtf8(line)) throw new Refusal('not UTF-8');
      const text = line.toString('utf8');
      if (/^[ \t\r]*$/.test(text)) continue;
      const record = read(fieldsOf(text));
      const first = taken.get(record.id) ?? record;
      if (spell(first) !== spell(record)) throw new Refusal('other content');
      taken.set(record.id, first);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof SyntaxError)) throw error;
      refuse(index + 1);
    }
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = bytes.subarray(0, 3).toString('hex') === 'efbbbf' ? 3 : 0;
  for (let end = bytes.indexOf('\n', start); end !== -1; end = bytes.indexOf('\n', start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepSpelling: Reviver = (key, value, { source }) => {
  const isHalved = !key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed());
  if (isHalved) throw new Refusal('half a character');
  return typeof value === 'number' ? new Spelled(source!) : value;
};

function fieldsOf(line: string): Fields {
  const record: unknown = JSON.parse(line, keepSpelling as (key: string, value: unknown) => unknown);
  if (!isObject(record)) throw new Refusal('no object');
  return record;
}

function spell(record: object): string {
  return JSON.stringify(record, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}
