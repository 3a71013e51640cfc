/** @module-tag long */
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { execute, openDatabase } from '../../../jobs/duckdb.ts';
import { literal } from '../../../jobs/literals.ts';
import { answersIn, deliver, publish, rejectsOf } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import type { TestLake } from '../lake.ts';
import { citation, ids, runId, sound, tracked, writeDrop } from '../records.ts';

/** A drop with the rows of some queries as Parquet files. */
async function parquetOf(
  { folder }: Pick<TestLake, 'folder'>,
  name: string,
  queries: Record<string, string>,
): Promise<string> {
  const drop = join(folder, name);
  await mkdir(drop);
  const database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  for (const [file, query] of Object.entries(queries)) {
    await execute(connection, `copy (${query}) to ${literal(join(drop, file))} (format parquet)`);
  }
  connection.closeSync();
  database.close();
  return drop;
}

const head = (id: string) => `
  uuid ${literal(id)} as id, uuid ${literal(ids.brand)} as brand_id, uuid ${literal(ids.prompt)} as prompt_id,
  'perplexity' as engine, 'success' as status`;

const cited = (run: number) => sound.runs({ id: runId(run), mentions: [], citations: [citation()] });
const citedInParquet = (run: number) =>
  `select ${head(runId(run))}, '2026-11-09' as cycle_date, '2026-11-09T08:00:00Z' as ran_at,
    [{url: 'https://news.example/a', source_type: 'news'}] as citations`;

test('folders and files may be named like a pattern, beside one that the pattern means', async () => {
  const { folder } = await testLake();
  const lake = join(folder, 'lake [eu]*?');
  let n = 0;
  const drop = await writeDrop(join(folder, 'drop[1]'), {
    ...tracked,
    'runs1.ndjson': [cited(++n)],
    'runs[1].ndjson': [cited(++n)],
    'runs*.ndjson': [cited(++n)],
  });
  await writeDrop(join(folder, 'drop1'), { 'runs[1].ndjson': [cited(++n)] });
  const parquet = await parquetOf({ folder }, 'drop?', {
    'runs1.parquet': citedInParquet(++n),
    'runs[1].parquet': citedInParquet(++n),
    'runs*.parquet': citedInParquet(++n),
  });
  for (const from of [drop, parquet]) {
    const { files } = await deliver(lake, { folder: from, date: '2026-11-16' });
    const runs = files.filter(({ file }) => file.startsWith('runs'));
    expect(runs).toMatchObject([1, 1, 1].map((ingested) => ({ ingested, repeated: 0, refused: 0 })));
  }
  const store = join(folder, 'store[1]');
  await publish(lake, store, AS_OF);
  expect((await answersIn(store, ids.workspace))[ids.brand]).toMatchObject({
    sources: { sources: [{ domain: 'news.example', count: 6 }] },
  });
});

const row = (n: number, engine: string, position: string, at: string) => `
  select uuid ${literal(runId(n))} as id, uuid ${literal(ids.brand)} as brand_id, uuid ${literal(ids.prompt)} as prompt_id,
    ${engine} as engine, 'success' as status, date '2026-11-09' as cycle_date, ${at} as ran_at,
    [{name: 'Acme', subject: 'brand', "position": ${position}::bigint}] as mentions`;

test('a row that breaks the contract is refused alone, as a JSON record under the number of its row', async () => {
  const lake = await testLake();
  const at = `timestamptz '2026-11-09 08:00:00Z'`;
  const rows = [
    row(1, `'grok'`, '1', at),
    row(2, `'bing'`, '1', at),
    row(3, `'grok'`, '0', at),
    row(4, `'grok'`, '2', `'infinity'::timestamptz`),
  ];
  const drop = await parquetOf(lake, 'parquet', { 'runs.parquet': rows.join(' union all ') });
  const report = await deliver(lake.lake, { folder: drop, date: '2026-11-16' });
  const rejects = await rejectsOf(lake.lake, report);
  expect(rejects).toMatchObject([
    { file: 'runs.parquet', line: 2, reason: 'engine is unknown' },
    { file: 'runs.parquet', line: 3, reason: 'a mention has no whole position of 1 or more' },
    { file: 'runs.parquet', line: 4, reason: 'ran_at is not an RFC 3339 instant' },
  ]);
  expect(JSON.parse(rejects[1]!.record)).toMatchObject({
    id: runId(3),
    engine: 'grok',
    mentions: [{ position: 0 }],
  });
  expect(report.files).toMatchObject([{ ingested: 1, refused: 3 }]);
});

/** A run with a mention and a citation; `more` are further columns, `within` further fields of both. */
const rich = (
  id: string,
  cycle: string,
  more: string,
  within: string,
  ranAt = `timestamp '2026-11-09 08:00:00'`,
) => `
  select ${head(id)}, ${cycle} as cycle_date, ${ranAt} as ran_at, ${more},
    [{${within}, name: 'Acme', subject: 'brand', "position": 1}] as mentions,
    [{source_type: 'news', ${within}, url: 'https://news.example/a'}] as citations`;
const sameAsRich = (id: string) =>
  sound.runs({ id, mentions: [{ name: 'Acme', subject: 'brand', position: 1 }], citations: [citation()] });
const date = `date '2026-11-09'`;

test('columns and nested fields that are not ours do no harm, whatever their type and content', async () => {
  const lake = await testLake();
  const values = [
    `'nan'::double`,
    `'-inf'::float`,
    String.raw`'\xFF\xFE'::blob`,
    String.raw`{a: 'nan'::double, b: ['\xFF'::blob]}`,
    `map {'nan': 'nan'::float}`,
    `repeat('x', 1000000)`,
  ];
  await lake.ingested(tracked);
  const drop = await parquetOf(lake, 'parquet', {
    ...Object.fromEntries(
      values.map((value, n) => [
        `runs-${n}.parquet`,
        rich(runId(n), date, `${value} as "position", ${value} as Id_2`, `extra: ${value}, "a""b": ${value}`),
      ]),
    ),
    'brands.parquet': `select uuid ${literal(ids.brand)} as id, uuid ${literal(ids.workspace)} as workspace_id,
      'Acme' as name, 'nan'::double as domain, timestamp '2026-01-01' as created_at, '\\xFF'::blob as text_2`,
  });
  const report = await deliver(lake.lake, { folder: drop, date: '2026-11-16' });
  expect(report.refusals).toEqual([]);
  expect(report.files).toMatchObject([{ ingested: 1 }, ...values.map(() => ({ ingested: 1 }))]);
  expect(((await lake.answers())[ids.brand] as { sources: unknown }).sources).toMatchObject({
    sources: [{ domain: 'news.example', count: values.length, brandMentions: values.length }],
  });
});

test('times of native types are those of NDJSON; a cycle that is a timestamp is a date at midnight only', async () => {
  const lake = await testLake();
  const times: [cycle: string, ranAt: string][] = [
    [`timestamp '2026-11-09'`, `timestamptz '2026-11-09 10:00:00+02'`],
    [`timestamp_s '2026-11-09'`, `timestamp_s '2026-11-09 08:00:00'`],
    [`timestamp_ms '2026-11-09'`, `timestamp_ms '2026-11-09 08:00:00'`],
    [`timestamp_ns '2026-11-09'`, `timestamp_ns '2026-11-09 08:00:00'`],
    [`timestamptz '2026-11-09 01:00:00+01'`, `'2026-11-09T08:00:00Z'`],
  ];
  const others = [`timestamp '2026-11-09 00:00:01'`, `timestamptz '2026-11-09 00:00:00+01'`];
  const queries = [...times, ...others.map((cycle) => [cycle, times[0]![1]] as const)].map(
    ([cycle, ranAt], n) => [`runs-${n}.parquet`, rich(runId(n), cycle, '1 as more', 'more: 1', ranAt)],
  );
  const drop = await parquetOf(lake, 'parquet', Object.fromEntries(queries) as Record<string, string>);
  await lake.ingested({ 'runs.ndjson': times.map((_, n) => sameAsRich(runId(n))) });
  const report = await deliver(lake.lake, { folder: drop, date: '2026-11-16' });
  expect(report.refusals).toEqual([
    { reason: 'cycle_date is not a date', records: others.length, kept: others.length },
  ]);
  const repeated = times.map(() => ({ repeated: 1, refused: 0 }));
  expect(report.files).toMatchObject([...repeated, ...others.map(() => ({ refused: 1 }))]);
});

const nameAs = (id: string, name: string) =>
  rich(id, date, '1 as more', 'more: 1').replace(`name: 'Acme'`, `name: ${name}`);

test('a text that its writer did not mark as one is read; bytes that are no text are missing', async () => {
  const lake = await testLake();
  const drop = await parquetOf(lake, 'parquet', {
    'runs-1.parquet': nameAs(runId(1), `encode('Café')`),
    'runs-2.parquet': nameAs(runId(2), String.raw`'\xFF'::blob`),
  });
  const report = await deliver(lake.lake, { folder: drop, date: '2026-11-16' });
  expect(report.files).toMatchObject([{ ingested: 1 }, { refused: 1 }]);
  expect(report.refusals).toEqual([{ reason: 'a mention has no name', records: 1, kept: 1 }]);
});
