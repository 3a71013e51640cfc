import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { literal } from '../../../jobs/literals.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { readInputs } from '../../../snapshots/read.ts';
import type { Operation } from '../../support/interposed-store.ts';
import type { TestLake } from '../lake.ts';
import { currentIn, deliver } from '../jobs.ts';
import { filesBelow } from '../lake.ts';
import { mention, runId, sound } from '../records.ts';
import type { Fields, Files } from '../records.ts';

export const id = (kind: string, n: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const numbers = [1, 2, 3, 4];
export const others = numbers.slice(1).map((n) => id('a', n));
/** The workspace that is removed, and texts of which nothing may be left. */
export const removed = id('a', 1);
export const traces = [
  ...['a', 'b', 'c', 'd', 'f'].map((kind) => id(kind, 1)),
  'Leaving Inc',
  'Leaving Brand',
  'Leaving Rival',
  'Leaving prompt',
  'Leaving event',
];

const name = (n: number, what: string) => (n === 1 ? `Leaving ${what}` : `${what} ${n}`);
/** A workspace of each number with a brand; that of the second one had the first as its workspace, if `moves`. */
export const trackingOf = (moves = false): Files => ({
  'workspaces.ndjson': numbers.map((n) => sound.workspaces({ id: id('a', n), name: name(n, 'Inc') })),
  'brands.ndjson': numbers.map((n) =>
    sound.brands({ id: id('b', n), workspace_id: id('a', moves && n === 2 ? 1 : n), name: name(n, 'Brand') }),
  ),
  'competitors.ndjson': numbers.map((n) =>
    sound.competitors({ id: id('c', n), brand_id: id('b', n), name: name(n, 'Rival') }),
  ),
  'prompts.ndjson': numbers.map((n) =>
    sound.prompts({ id: id('d', n), brand_id: id('b', n), text: name(n, 'prompt') }),
  ),
  'events.ndjson': [
    sound.events({ id: id('9', 1), text: 'An event of all' }),
    ...numbers.map((n) => sound.events({ id: id('f', n), workspace_id: id('a', n), text: name(n, 'event') })),
  ],
});

export const runOf = (date: string, n: number, given: Fields = {}) =>
  sound.runs({
    id: runId(n + 1000 * Number(date.slice(-2))),
    brand_id: id('b', n),
    prompt_id: id('d', n),
    cycle_date: date,
    ran_at: `${date}T05:0${n}:00Z`,
    mentions: n % 2 ? [mention({ name: name(n, 'Brand') })] : [],
    ...given,
  });
export const runsOf = (date: string): Files => ({ 'runs.ndjson': numbers.map((n) => runOf(date, n)) });

/** Lines that ingest refuses: three with an id of the customer, one without. */
function refusedLines(): Buffer {
  const notUtf8 = Buffer.from([0xff]);
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(runOf('2026-11-09', 1, { engine: 'altavista' }))}\n`),
    Buffer.from(`${JSON.stringify(runOf('2026-11-09', 1)).toUpperCase()}\n`),
    Buffer.from(`{"brand_id":"${id('b', 1)}","engine":"`),
    notUtf8,
    Buffer.from('"}\n'),
    Buffer.from(`${JSON.stringify(runOf('2026-11-09', 3, { engine: 'alta\u2028vista' }))}\n`),
  ]);
}

/** Delivers a week in a bucket for each workspace, with refused lines. */
export async function deliverWeek({ lake, dropOf }: TestLake): Promise<void> {
  const files = { ...trackingOf(), ...runsOf('2026-11-02'), 'runs-refused.ndjson': refusedLines() };
  await deliver(lake, { folder: await dropOf(files), date: '2026-11-02' }, { runsInObject: 1 });
}

/** Delivers two weeks in a bucket for each workspace, a run of the customer alone, and tracking of two dates. */
export async function deliverAll(given: TestLake): Promise<void> {
  const { lake, dropOf } = given;
  await deliverWeek(given);
  const alone = { 'runs.ndjson': [runOf('2026-11-03', 1)] };
  await deliver(lake, { folder: await dropOf(alone), date: '2026-11-03' });
  const second = { ...trackingOf(), ...runsOf('2026-11-09') };
  await deliver(lake, { folder: await dropOf(second), date: '2026-11-09' }, { runsInObject: 1 });
}

/** The SHA-256 of each object of the lake, by its key. */
export async function objectsIn(lake: string): Promise<Map<string, string>> {
  const hashes = (await filesBelow(lake)).map(async (path): Promise<[string, string]> => [
    relative(lake, path),
    sha256(await readFile(path)),
  ]);
  return new Map(await Promise.all(hashes));
}

/** The keys of objects in which a text occurs, in any letters, also within Parquet files and base64. */
export async function keysWith(lake: string, texts: readonly string[]): Promise<string[]> {
  using database = await openDatabase({ scratch: lake });
  const connection = await database.connect();
  const found: string[] = [];
  for (const path of await filesBelow(lake)) {
    if (/\/(?:log|\.)/.test(path.slice(lake.length))) continue;
    const rows = path.endsWith('.parquet')
      ? (
          await rowsOf<{ row: string }>(
            connection,
            `select t::varchar as row from read_parquet(${literal(path)}) as t`,
          )
        ).map(({ row }) => row)
      : [
          (await readFile(path, 'utf8')).replaceAll(/"record_base64":"([^"]*)"/g, (_, text: string) =>
            Buffer.from(text, 'base64').toString(),
          ),
        ];
    const all = rows.join('\n').toLowerCase();
    if (texts.some((text) => all.includes(text.toLowerCase()))) found.push(relative(lake, path));
  }
  return found;
}

export const storeOf = ({ folder }: TestLake, store: string) => join(folder, store);

/** The recipe of a workspace's current snapshot, and what computing it again must give. */
export async function recipeOf(store: string, workspaceId: string) {
  const { manifest, publication } = await currentIn(store, workspaceId);
  const inputs = await readInputs(directoryStore(store), manifest);
  const { snapshotId, manifestSha256, publishedAt } = publication;
  const expected = { snapshotId, manifestSha256, missing: [], changed: [], leftOut: [] };
  return { recipe: { ...manifest, publishedAt, inputs }, expected };
}

/** A hook that does the work after the first operation of which method and key begin so. */
export function once(when: string, work: () => Promise<void>) {
  let isDone = false;
  return async ({ method, key }: Operation) => {
    if (isDone || !`${method} ${key}`.startsWith(when)) return;
    isDone = true;
    await work();
  };
}
