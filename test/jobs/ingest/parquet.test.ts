/** @module-tag long */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { execute, openDatabase } from '../../../jobs/duckdb.ts';
import { literal } from '../../../jobs/literals.ts';
import { deliver, rejectsOf } from '../jobs.ts';
import { testLake } from '../lake.ts';
import { citation, ids, runId, sound, writeDrop } from '../records.ts';

/** A drop below a folder with the rows of some queries as Parquet files. */
async function parquetOf(folder: string, name: string, queries: Record<string, string>): Promise<string> {
  const drop = join(folder, name);
  await mkdir(drop);
  using database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  for (const [file, query] of Object.entries(queries))
    await execute(connection, `copy (${query}) to ${literal(join(drop, file))} (format parquet)`);
  return drop;
}

const defaults = {
  engine: `'perplexity'`,
  cycle: `date '2026-11-09'`,
  ranAt: `timestamp '2026-11-09 08:00:00'`,
  name: `'Acme'`,
  position: '1',
  citations: '',
  model: 'null',
  more: '1',
};

/** A run with a mention and a citation; `more` is the value of further columns, and of further fields of both. */
function rowOf(n: number, given: Partial<typeof defaults>): string {
  const { engine, cycle, ranAt, name, position, citations, model, more } = { ...defaults, ...given };
  const fields = `extra: ${more}, "a""b": ${more}`;
  const usual = `[{source_type: 'news', ${fields}, url: 'https://news.example/a'}]`;
  return `
    select uuid ${literal(runId(n))} as id, uuid ${literal(ids.brand)} as brand_id, uuid ${literal(ids.prompt)} as prompt_id,
      ${engine} as engine, 'success' as status, ${cycle} as cycle_date, ${ranAt} as ran_at,
      ${more} as "position", ${more} as Id_2, ${model} as model,
      [{${fields}, name: ${name}, subject: 'brand', "position": ${position}::bigint}] as mentions,
      ${citations || usual} as citations`;
}

const inJson = (n: number) => {
  const mentions = [{ name: 'Acme', subject: 'brand', position: 1 }];
  return sound.runs({ id: runId(n), mentions, citations: [citation()] });
};

test('a row that breaks the contract is refused alone, as a JSON record under the number of its row', async () => {
  const { folder, lake } = await testLake();
  const rows = [{}, { engine: `'bing'` }, { position: '0' }, { ranAt: `'infinity'::timestamptz` }];
  const query = rows.map((given, n) => rowOf(n, { ranAt: `timestamptz '2026-11-09 00:00:00Z'`, ...given }));
  const drop = await parquetOf(folder, 'parquet', { 'runs.parquet': query.join(' union all ') });
  const report = await deliver(lake, { folder: drop, date: '2026-11-16' });
  const rejects = await rejectsOf(lake, report);
  expect(rejects).toMatchObject([
    { file: 'runs.parquet', line: 2, reason: 'engine is unknown' },
    { file: 'runs.parquet', line: 3, reason: 'a mention has no whole position of 1 or more' },
    { file: 'runs.parquet', line: 4, reason: 'ran_at is not an RFC 3339 instant' },
  ]);
  expect(JSON.parse(rejects[1]!.record)).toMatchObject({ id: runId(2), mentions: [{ position: 0 }] });
  expect(report.files).toMatchObject([{ ingested: 1, refused: 3 }]);
});

/** By what is in it: a row that is the same run as in NDJSON, or why it is refused. */
const rows: [what: string, given: Partial<typeof defaults>, reason?: string][] = [
  ['a double that is no number', { more: `'nan'::double` }],
  ['bytes that are no text', { more: String.raw`{a: 'nan'::double, b: ['\xFF'::blob]}` }],
  ['a map', { more: `map {'nan': 'nan'::float}` }],
  ['a long text', { more: `repeat('x', 1000000)` }],
  ['an offset', { cycle: `timestamp '2026-11-09'`, ranAt: `timestamptz '2026-11-09 10:00:00+02'` }],
  ['seconds', { cycle: `timestamp_s '2026-11-09'`, ranAt: `timestamp_s '2026-11-09 08:00:00'` }],
  ['milliseconds', { cycle: `timestamp_ms '2026-11-09'`, ranAt: `timestamp_ms '2026-11-09 08:00:00'` }],
  ['nanoseconds', { cycle: `timestamp_ns '2026-11-09'`, ranAt: `timestamp_ns '2026-11-09 08:00:00'` }],
  ['texts', { cycle: `timestamptz '2026-11-09 01:00:00+01'`, ranAt: `'2026-11-09T08:00:00Z'` }],
  ['a cycle at a second', { cycle: `timestamp '2026-11-09 00:00:01'` }, 'cycle_date is not a date'],
  ['a local midnight', { cycle: `timestamptz '2026-11-09 00:00:00+01'` }, 'cycle_date is not a date'],
  ['a text that is not marked as one', { name: `encode('Acme')` }],
  ['a column of no numbers, which is one without values', { model: `'nan'::double` }],
  ['texts as citations', { citations: `['https://news.example/a']` }, 'a citation has no readable host'],
  ['citations of other fields', { citations: `[{a: 1}]` }, 'a citation has no readable host'],
  [
    'citations of one field',
    { citations: `[{url: 'https://a.example/'}]` },
    'a citation has an unknown source_type',
  ],
  ['a text that is no list', { citations: `'[]'` }, 'citations is not a list'],
  [
    'a map that is no list',
    { citations: `map {'a': {url: 'https://a.example/'}}` },
    'citations is not a list',
  ],
  ['a name of bytes that are no text', { name: String.raw`'\xFF'::blob` }, 'a mention has no name'],
];

const fileOf = (n: number) => `runs-${String(n).padStart(2, '0')}.parquet`;

test('native types are read as NDJSON is, and columns that are not ours do no harm', async () => {
  const { folder, lake, ingested } = await testLake();
  await ingested({ 'runs.ndjson': rows.map((_, n) => inJson(n)) });
  const queries = rows.map(([, given], n) => [fileOf(n), rowOf(n, given)] as const);
  const drop = await parquetOf(folder, 'parquet', Object.fromEntries(queries));
  const report = await deliver(lake, { folder: drop, date: '2026-11-16' });
  const rejects = await rejectsOf(lake, report);
  const found = report.files.map(({ file, repeated }) => [
    file,
    repeated === 1 ? undefined : rejects.find((reject) => reject.file === file)?.reason,
  ]);
  expect(found).toEqual(rows.map(([, , reason], n) => [fileOf(n), reason]));
});

test('folders and files may be named like a pattern, next to one that the pattern means', async () => {
  const { folder } = await testLake();
  const lake = join(folder, 'lake [eu]*?');
  const names = ['runs1', 'runs[1]', 'runs*'];
  const files = names.map((name, n) => [`${name}.ndjson`, [inJson(n)]] as const);
  const drop = await writeDrop(join(folder, 'drop[1]'), Object.fromEntries(files));
  await writeDrop(join(folder, 'drop1'), { 'runs[1].ndjson': [inJson(9)] });
  const queries = names.map((name, n) => [`${name}.parquet`, rowOf(n + 3, {})] as const);
  const parquet = await parquetOf(folder, 'drop?', Object.fromEntries(queries));
  for (const from of [drop, parquet]) {
    const report = await deliver(lake, { folder: from, date: '2026-11-16' });
    expect(report.files).toMatchObject(names.map(() => ({ ingested: 1, repeated: 0, refused: 0 })));
  }
});
