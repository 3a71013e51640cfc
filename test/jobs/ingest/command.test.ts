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

test.each(['ingest', 'ingest --from x --date 2026-02-29', 'ingest --from x --lake ftp://x', 'swallow'])(
  '"job %s" is wrong usage: status 2',
  async (line) => {
    const ended = await job(...line.split(' '));
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^error: [^\n]+\n/);
  },
);

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
