/** @module-tag black-box */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../adapters/deliver.ts';
import { runProgram } from '../../support/program.ts';
import { testLake } from '../lake.ts';
import { ids, runId, sound, tracked, writeDrop } from '../records.ts';

const job = async (...args: string[]) => await runHere('job', args);
const runs = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => sound.runs({ id: runId(from + n) }));

test('ingest takes in what is good, counts what is not, and ends with 0, or 1 with --strict, each time', async () => {
  const { folder, lake, dropOf } = await testLake();
  const bad = ['{', '{', sound.runs({ engine: 'bing' })];
  const drop = await dropOf({ ...tracked, 'runs.ndjson': [...runs(1, 3), ...bad] });
  const ingest = async (...more: string[]) =>
    await job('ingest', '--from', drop, '--date', '2026-11-16', '--lake', ...more);
  const usual = await ingest(lake);
  expect(usual).toMatchObject({ status: 0, stderr: '' });
  expect(usual.stdout).toMatch(/^runs\.ndjson +3 +0 +3 *$/m);
  expect(usual.stdout).toMatch(/^not a JSON object +2 +2$/m);
  expect(usual.stdout).toMatch(/^engine is unknown +1 +1$/m);
  const again = await ingest(lake, '--strict');
  expect(again).toMatchObject({ status: 1, stderr: '' });
  expect(again.stdout).toMatch(/^runs\.ndjson +0 +0 +0 +delivered before, 3 refused then$/m);
  expect(again.stdout).toMatch(/^brands\.ndjson +0 +0 +0 +delivered before$/m);
  expect(again.stdout).toContain('Nothing new');
  expect(await ingest(lake)).toMatchObject({ status: 0 });
  const strict = await ingest(`file:${join(folder, 'other')}`, '--strict', '--json');
  expect(strict).toMatchObject({ status: 1, stderr: '' });
  expect(JSON.parse(strict.stdout)).toMatchObject({
    delivery: 1,
    refusals: [
      { reason: 'not a JSON object', records: 2, kept: 2 },
      { reason: 'engine is unknown', records: 1, kept: 1 },
    ],
  });
});

test.each([
  'swallow',
  'ingest',
  'ingest --from x --date 2026-02-29',
  'ingest --from x --lake ftp://x',
  'weekly --as-of yesterday',
  'weekly --due @weekly --as-of 2026-11-16T06:00:00Z',
  'weekly --shard 3/2',
  'weekly --shards 2 --shard 1/2',
])('"job %s" is wrong usage: status 2', async (line) => {
  const ended = await job(...line.split(' '));
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toMatch(/^error: [^\n]+\n/);
});

test('ingests at the same time lose nothing and take nothing twice', async () => {
  const { folder, lake, answers } = await testLake();
  const drops = await Promise.all(
    [1, 2, 3].map((n) =>
      writeDrop(join(folder, `at-once-${n}`), {
        ...(n === 1 ? tracked : {}),
        'runs.ndjson': [...runs(1000, 50), ...runs(n * 100, 20), '{'],
      }),
    ),
  );
  const ended = await Promise.all(
    drops.map(async (drop) => {
      const args = ['ingest', '--from', drop, '--lake', lake, '--date', '2026-11-16', '--json'];
      return await runProgram('jobs/cli.ts', args, {});
    }),
  );
  expect(ended.map(({ status }) => status)).toEqual([0, 0, 0]);
  const reports = ended.map(
    ({ stdout }) =>
      JSON.parse(stdout) as {
        delivery: number;
        files: { kind: string; ingested: number; repeated: number }[];
      },
  );
  expect(new Set(reports.map(({ delivery }) => delivery))).toEqual(new Set([1, 2, 3]));
  const files = reports.flatMap((report) => report.files.filter(({ kind }) => kind === 'runs'));
  expect(files.map(({ ingested }) => ingested).toSorted((a, b) => a - b)).toEqual([20, 20, 70]);
  expect(files.map(({ repeated }) => repeated).toSorted((a, b) => a - b)).toEqual([0, 50, 50]);
  expect((await answers())[ids.brand]).toMatchObject({
    visibility: { perEngine: [{ slug: 'perplexity', score: 0 }] },
  });
});

const named = (name: string) => ({ 'brands.ndjson': [sound.brands({ name })] });

test('the tracking set is the newest one dated on or before the day of the snapshot, whatever the order of delivery', async () => {
  const { ingested, brandNames } = await testLake();
  await ingested({ ...tracked, ...named('of the 16th') }, '2026-11-16');
  await ingested(named('of the 17th'), '2026-11-17');
  await ingested({ ...tracked, ...named('of the 9th') }, '2026-11-09');
  expect(await brandNames('2026-11-17T00:00:00Z')).toEqual(['of the 17th']);
  expect(await brandNames('2026-11-15T23:59:59.999999Z')).toEqual(['of the 9th']);
  expect(await brandNames('2026-11-15T23:30:00-01:00')).toEqual(['of the 16th']);
});

const two = [sound.brands(), sound.brands({ id: ids.competitor, name: 'Second' })];
test('a tracking file without a valid record is not taken, also when it comes again, until --empty-tracking allows it', async () => {
  const { ingested, brandNames } = await testLake();
  await ingested(tracked);
  const taken = async (bytes: string | Buffer, emptyTracking = false) => {
    const rules = { partialTracking: true, emptyTracking };
    const { files } = await ingested({ 'brands.ndjson': bytes }, '2026-11-16', rules);
    return files.map(({ known, notIngested }) => [known, notIngested]);
  };
  const array = JSON.stringify(two);
  for (const bytes of ['', '\n \r\n', Buffer.from([0xef, 0xbb, 0xbf]), array])
    for (const known of [false, true]) expect(await taken(bytes)).toEqual([[known, 'empty']]);
  expect(await brandNames()).toEqual(['Acme']);
  expect(await taken(array, true)).toEqual([[false, null]]);
  expect(await brandNames()).toEqual([]);
});

test('ingest names a file that it did not take, says how to take it, and ends with 1, again and again', async () => {
  const { lake, dropOf, brandNames } = await testLake();
  const ingested = async (drop: string, ...more: string[]) =>
    await job('ingest', '--from', drop, '--lake', lake, '--date', '2026-11-16', ...more);
  expect(await ingested(await dropOf(tracked))).toMatchObject({ status: 0, stderr: '' });
  const bad = await dropOf({
    'brands.ndjson': [sound.brands({ name: 'New' }), '{'],
    'competitors.ndjson': '',
    'runs.ndjson': ['{', '[]'],
  });
  for (const note of ['not ingested', 'delivered before, 1 refused then, not ingested']) {
    const ended = await ingested(bad);
    expect(ended.status).toBe(1);
    expect(ended.stdout).toMatch(new RegExp(`^brands.ndjson [ 0-9]+${note}$`, 'm'));
    expect(ended.stderr.split('\n').slice(0, -1)).toEqual([
      expect.stringMatching(/^sightline: brands.ndjson was not ingested: 1 refused, .* --partial-tracking /),
      expect.stringMatching(/^sightline: competitors.ndjson was not ingested: no valid .* --empty-tracking /),
      'sightline: runs.ndjson: every record was refused (2)',
    ]);
  }
  expect(await brandNames()).toEqual(['Acme']);
  const allowed = await ingested(bad, '--partial-tracking', '--empty-tracking');
  const stderr = 'sightline: runs.ndjson: every record was refused (2)\n';
  expect(allowed).toMatchObject({ status: 1, stderr });
  expect(await brandNames()).toEqual(['New']);
});
