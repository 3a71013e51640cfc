import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { literal } from '../../../jobs/literals.ts';
import { deliver } from '../jobs.ts';
import { filesBelow } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { idOf as id, mention, runId, sound } from '../records.ts';
import type { Fields, Files } from '../records.ts';

const numbers = [1, 2, 3, 4];
export const others = numbers.slice(1).map((n) => id('a', n));
/** The workspace that is removed, and texts of which nothing may be left. */
export const removed = id('a', 1);
export const traces = [
  ...['a', 'b', 'c', 'd', 'f'].map((kind) => id(kind, 1)),
  ...['Inc', 'Brand', 'Rival', 'prompt', 'event'].map((what) => `Leaving ${what}`),
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
export function refusedLines(): Buffer {
  const notUtf8 = Buffer.from([0xff]);
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(runOf('2026-11-09', 1, { engine: 'altavista' }))}\n`),
    Buffer.from(`${JSON.stringify(runOf('2026-11-09', 1)).toUpperCase()}\n`),
    Buffer.from(`{"prompt_id":"${id('d', 1)}","engine":"`),
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

/** The keys of objects in which a text occurs, in any letters, also within Parquet files and base64. */
export async function keysWith(lake: string, texts: readonly string[]): Promise<string[]> {
  const files = (await filesBelow(lake)).filter((path) => !/\/(?:log|\.)/.test(path.slice(lake.length)));
  const contents: { path: string; text: string | null }[] = [];
  for (const path of files.filter((each) => !each.endsWith('.parquet'))) {
    const text = await readFile(path, 'utf8');
    const decoded = [...text.matchAll(/"record_base64":"([^"]*)"/g)].map(([, base64]) => atob(base64!));
    contents.push({ path, text: [text, ...decoded].join('\n') });
  }
  const parquet = files.filter((each) => each.endsWith('.parquet')).map(literal);
  const queries = parquet.map(
    (path) =>
      `select ${path} as path, string_agg(t::varchar, chr(10)) as text from read_parquet(${path}) as t`,
  );
  using database = await openDatabase({ scratch: lake });
  contents.push(
    ...(await rowsOf<(typeof contents)[0]>(await database.connect(), queries.join(' union all '))),
  );
  return contents
    .filter(({ text }) => texts.some((each) => text?.toLowerCase().includes(each.toLowerCase())))
    .map(({ path }) => relative(lake, path));
}
