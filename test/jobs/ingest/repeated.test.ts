/** @module-tag long */
import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { execute, openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import type { DropFile } from '../../../jobs/ingest/drop.ts';
import { makeTables } from '../../../jobs/ingest/tables.ts';
import { removeRepeated } from '../../../jobs/ingest/repeated/repeated.ts';
import { writeRuns } from '../../../jobs/ingest/runs/runs.ts';
import { writeRunIds } from '../../../jobs/ingest/write.ts';
import { nextPlace, readLedger, recordDelivery } from '../../../jobs/lake/ledger.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { rejectsOf } from '../jobs.ts';
import { filesBelow, REPEATED, testLake } from '../lake.ts';
import { citation, ids, mention, ndjson, runId, sound, tracked } from '../records.ts';
import type { Fields } from '../records.ts';

const run = (n: number, given: Fields = {}) => sound.runs({ id: runId(n), ...given });

describe('a run delivered twice', () => {
  const whole = run(1, {
    mentions: [mention(), mention({ name: 'B', subject: 'other', position: 2 })],
    citations: [citation()],
  });
  const same = [
    { ...Object.fromEntries(Object.entries(whole).toReversed()), unknown: 1 },
    { ...whole, id: runId(1).toUpperCase(), brand_id: ids.brand.toUpperCase() },
    { ...whole, ran_at: '2026-11-09T10:30:00.0000009+02:30' },
    {
      ...whole,
      mentions: [
        mention({ competitor_id: 'ignored' }),
        mention({ name: 'B', subject: 'other', position: 2 }),
      ],
    },
  ];
  const other: Fields[] = [
    { ...whole, ran_at: '2026-11-09T08:00:00.000001Z' },
    { ...whole, cycle_date: '2026-11-02' },
    { ...whole, engine: 'ai_mode' },
    { ...whole, prompt_id: runId(5) },
    { ...whole, mentions: (whole['mentions'] as Fields[]).toReversed() },
    {
      ...whole,
      mentions: [mention({ sentiment: null }), mention({ name: 'B', subject: 'other', position: 2 })],
    },
    {
      ...whole,
      mentions: [mention({ name: ' Acme' }), mention({ name: 'B', subject: 'other', position: 2 })],
    },
    { ...whole, citations: [citation({ url: 'https://news.example/b' })] },
    { ...whole, citations: [] },
  ];

  test('counts once within a file, where it says the same, and is refused where it does not', async () => {
    const { lake, ingested } = await testLake();
    const report = await ingested({ 'runs.ndjson': [whole, ...same, ...other, whole] });
    expect(report.files).toMatchObject([{ ingested: 1, repeated: same.length + 1, refused: other.length }]);
    expect(report.refusals).toEqual([{ reason: REPEATED, records: other.length, kept: other.length }]);
    expect(await rejectsOf(lake, report)).toEqual(
      other.map((record, n) => ({
        file: 'runs.ndjson',
        line: n + same.length + 2,
        reason: REPEATED,
        record: JSON.stringify(record),
      })),
    );
  });

  test('across files the first is the one whose file has the smaller name, zipped or not', async () => {
    const { lake, ingested } = await testLake();
    const report = await ingested({
      'runs.ndjson': [other[0]!, run(2)],
      'runs-late.ndjson.gz': gzipSync(ndjson([whole])),
      'runs-early.ndjson': ndjson(['{', other[1]!, run(2)]),
    });
    expect(await rejectsOf(lake, report)).toMatchObject([
      { file: 'runs-early.ndjson', line: 1, reason: 'not a JSON object' },
      { file: 'runs-late.ndjson.gz', line: 1, reason: REPEATED, record: JSON.stringify(whole) },
      { file: 'runs.ndjson', line: 1, reason: REPEATED },
    ]);
    expect(report.files).toMatchObject([
      { file: 'runs-early.ndjson', ingested: 2, repeated: 0, refused: 1 },
      { file: 'runs-late.ndjson.gz', ingested: 0, repeated: 0, refused: 1 },
      { file: 'runs.ndjson', ingested: 0, repeated: 1, refused: 1 },
    ]);
  });

  test('across deliveries the earlier one stays, also under a later file name and in another cycle', async () => {
    const { ingested, answers } = await testLake();
    await ingested({ 'runs-z.ndjson': [whole] });
    const report = await ingested({ 'runs-a.ndjson': [...same, ...other, run(2)] });
    expect(report.files).toMatchObject([{ ingested: 1, repeated: same.length, refused: other.length }]);
    await ingested(tracked);
    const shown = JSON.stringify(await answers());
    expect(shown).toContain('"mentions":1');
    expect(shown).not.toContain('ai_mode');
  });

  test('a record that was refused is not the first', async () => {
    const { ingested } = await testLake();
    const report = await ingested({ 'runs.ndjson': [{ ...whole, engine: 'bing' }, whole] });
    expect(report.files).toMatchObject([{ ingested: 1, repeated: 0, refused: 1 }]);
  });
});

describe('a file delivered twice', () => {
  test('is a no-op for runs, under another name and date too', async () => {
    const { lake, ingested } = await testLake();
    const content = ndjson([run(1), '{']);
    await ingested({ 'runs.ndjson': content });
    const before = await filesBelow(lake);
    const report = await ingested({ 'runs-again.ndjson': content }, '2026-11-17');
    expect(report).toMatchObject({
      delivery: null,
      files: [{ known: true, ingested: 0, refused: 0 }],
      rejects: null,
    });
    expect(await filesBelow(lake)).toEqual(before);
  });

  test('within one drop is taken once', async () => {
    const { ingested } = await testLake();
    const content = ndjson([run(1), '{']);
    const report = await ingested({ 'runs-1.ndjson': content, 'runs-2.ndjson': content });
    expect(report.files).toMatchObject([
      { known: false, ingested: 1, refused: 1 },
      { known: true, ingested: 0, refused: 0 },
    ]);
  });

  test('is a no-op for a tracking set of the same date, and counts for another date', async () => {
    const { ingested, brandNames } = await testLake();
    const old = ndjson([sound.brands({ name: 'Old' })]);
    await ingested({ ...tracked, 'brands.ndjson': old }, '2026-11-10');
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'New' })] }, '2026-11-10');
    expect(
      (await ingested({ 'brands.ndjson': [sound.brands({ name: 'New' })] }, '2026-11-10')).delivery,
    ).toBeNull();
    expect(await brandNames()).toEqual(['New']);
    expect((await ingested({ 'brands.ndjson': old }, '2026-11-11')).delivery).toBe(3);
    expect(await brandNames()).toEqual(['Old']);
    expect(await brandNames('2026-11-10T23:59:59.999999Z')).toEqual(['New']);
  });
});

const runsFile: DropFile = {
  path: 'runs.ndjson',
  file: 'runs.ndjson',
  kind: 'runs',
  format: 'ndjson',
  bytes: 0,
  modifiedMs: 0,
};

/** A database with the tables of an ingest, into which runs are put by SQL. */
async function stagingIn(folder: string) {
  const database = await openDatabase({ scratch: folder });
  onTestFinished(() => database.close());
  const connection = await database.connect();
  await makeTables(connection);
  const fill = async (runs: readonly string[], cycle: string) => {
    const rows = runs.map((id, index) => `('runs.ndjson', ${index + 1}, '${id}'::uuid, date '${cycle}')`);
    await execute(
      connection,
      `delete from staged_runs;
       insert into staged_runs by name
       select *, uuid '${ids.brand}' as brand_id, timestamp '2026-11-09 08:00:00' as ran_at
       from (values ${rows.join()}) as run (file, line, id, cycle_date)`,
    );
  };
  const left = async () =>
    await rowsOf<{ id: string }>(connection, 'select id::varchar as id from staged_runs order by line');
  return { database, connection, fill, left };
}

describe('the hash by which a run is found in the lake', () => {
  test('is the first 48 bits of the MD5 of its id, so that later versions find what earlier ones wrote', async () => {
    const { folder } = await testLake();
    const { connection } = await stagingIn(folder);
    const [row] = await rowsOf<{ hash: bigint }>(
      connection,
      `select run_hash('${runId(1).toUpperCase()}'::uuid) as hash`,
    );
    expect(row!.hash).toBe(BigInt(createHash('md5').update(runId(1)).digest().readUIntBE(0, 6)));
  });

  test('may be that of another run: both are taken, and a repeated one is still found', async () => {
    const { folder, lake: path } = await testLake();
    const lake = directoryStore(path);
    const { database, connection, fill, left } = await stagingIn(folder);
    await execute(connection, 'create or replace macro run_hash(id) as 7::bigint');
    await fill([runId(1), runId(2)], '2026-11-09');
    const target = { connection, lake, scratch: folder };
    await recordDelivery(lake, {
      ...nextPlace([]),
      receivedAt: '2026-11-16T06:00:00.000Z',
      trackingDate: '2026-11-16',
      sources: [],
      tracking: [],
      ...(await writeRuns(target, [], 10)),
      runIds: await writeRunIds(target),
      rejects: null,
    });
    await fill([runId(2), runId(3)], '2026-11-09');
    await removeRepeated(database, target, [runsFile], await readLedger(lake));
    expect(await left()).toEqual([{ id: runId(3) }]);
  });

  test('is all that the lake keeps of ids beside the runs: 4 to 5 bytes each', async () => {
    const { ingested, lake } = await testLake();
    await ingested({ 'runs.ndjson': Array.from({ length: 5000 }, () => run(0, { id: randomUUID() })) });
    const [delivery] = await readLedger(directoryStore(lake));
    expect(delivery!.runIds!.rows).toBe(5000);
    expect(delivery!.runIds!.bytes).toBeLessThan(5000 * 5.5);
  });
});
