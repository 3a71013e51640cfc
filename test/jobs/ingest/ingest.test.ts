/** @module-tag slow */
import { appendFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { Failure } from '../../../lib/failure.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { deliver, publish } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith, testLake } from '../lake.ts';
import { ids, ndjson, runId, sound, tracked } from '../records.ts';
import type { Fields } from '../records.ts';

const run = (n: number, given: Fields = {}) => sound.runs({ id: runId(n), ...given });

test('what belongs to nothing is kept, counted as orphaned, and shown once its owner comes', async () => {
  const { folder, lake, ingested, answers } = await testLake();
  const late = { brand_id: runId(80) };
  await ingested({
    ...tracked,
    'brands.ndjson': [sound.brands(), sound.brands({ id: runId(77), workspace_id: runId(78) })],
    'prompts.ndjson': [sound.prompts(), sound.prompts({ id: runId(79), ...late })],
    'competitors.ndjson': [sound.competitors(), sound.competitors({ id: runId(81), ...late })],
    'runs.ndjson': [run(1), run(2, late), run(3, { ...late, ran_at: '2026-11-16T06:00:00.000001Z' })],
  });
  const report = await publish(lake, join(folder, 'store'), AS_OF);
  expect(report.orphaned).toEqual({ runs: 1, prompts: 1, competitors: 1, brands: 1 });
  expect(Object.keys(await answers())).toEqual(['brands', ids.brand, 'week']);
  await ingested({ 'brands.ndjson': [sound.brands(), sound.brands({ id: runId(80), name: 'Late' })] });
  expect((await answers())[runId(80)]).toMatchObject({
    visibility: { perEngine: [{ slug: 'perplexity', score: 0 }] },
    prompts: { prompts: [{ id: runId(79) }] },
  });
});

test('a drop with a date more than a day ahead is refused, and nothing of it is ingested', async () => {
  const { lake, dropOf } = await testLake();
  const clock = { now: () => Date.parse('2026-11-16T23:59:59.999Z') };
  const delivered = async (date: string) =>
    await ingest({ from: await dropOf(tracked), lake: directoryStore(lake), date }, { clock });
  await expect(delivered('2026-11-18')).rejects.toThrow(
    /^the tracking date 2026-11-18 is more than a day ahead of today, 2026-11-16: nothing was ingested/,
  );
  expect(await filesBelow(lake)).toEqual([]);
  expect(await delivered('2026-11-17')).toMatchObject({ delivery: 1 });
});

test('a file that is still being written fails the ingest, which has taken nothing', async () => {
  const { lake, dropOf } = await testLake();
  const from = await dropOf({ ...tracked, 'runs.ndjson': [run(1)] });
  const clock = { now: () => Date.parse('2026-11-16T12:00:00Z') };
  const onBytes = () => appendFileSync(join(from, 'runs.ndjson'), ndjson([run(2)]));
  const ingested = ingest({ from, lake: directoryStore(lake), date: '2026-11-16' }, { clock, onBytes });
  await expect(ingested).rejects.toThrow(/runs\.ndjson changed while it was read; try again$/);
  expect(await filesBelow(lake)).toEqual([]);
});

const newLake = lakeWith(async ({ ingested }) => await ingested({ 'runs-before.ndjson': [run(500)] }));
const zipped = gzipSync(ndjson(Array.from({ length: 200 }, (_, n) => run(n))));

test.each<[string, string, Buffer]>([
  ['a truncated gzip', 'runs.ndjson.gz', zipped.subarray(0, -9)],
  ['an empty gzip', 'runs.ndjson.gz', Buffer.alloc(0)],
  ['no Parquet', 'runs.parquet', Buffer.from(ndjson([run(2)]))],
])('%s fails the ingest in one line that names the file, and changes nothing', async (_name, file, bytes) => {
  const { folder, lake, ingested } = await newLake();
  const before = await filesBelow(lake);
  const delivery = ingested({ 'runs-0.ndjson': [run(1)], 'workspaces.ndjson': ['{'], [file]: bytes });
  await expect(delivery).rejects.toThrow(new RegExp(`^${folder}/drop-\\d/${file} cannot be read: [^\n]+$`));
  expect(await filesBelow(lake)).toEqual(before);
});

test('a folder without a drop file, and one with a tracking file twice, are refused', async () => {
  const { lake, ingested } = await testLake();
  await expect(ingested({ 'notes.txt': 'x' })).rejects.toThrow(/^the drop .* contains no drop file/);
  await expect(ingested({ 'brands.ndjson': '', 'brands.ndjson.gz': gzipSync('') })).rejects.toThrow(
    /contains brands twice: brands.ndjson, brands.ndjson.gz$/,
  );
  expect(await filesBelow(lake)).toEqual([]);
});

test('a symbolic link that stays inside the drop is read; what is no part of a drop is named and left alone', async () => {
  const { folder, lake, dropOf } = await testLake();
  const drop = await dropOf({ 'newest.ndjson': [run(1)], 'brands.csv': 'x' });
  await symlink('newest.ndjson', join(drop, 'runs.ndjson'));
  await symlink('/etc/passwd', join(drop, 'latest'));
  await mkdir(join(drop, 'runs-folder.ndjson'));
  await symlink(drop, join(folder, 'today'));
  const report = await deliver(lake, { folder: join(folder, 'today'), date: '2026-11-16' });
  const ignored = ['brands.csv', 'latest', 'newest.ndjson', 'runs-folder.ndjson'];
  expect(report).toMatchObject({ files: [{ ingested: 1 }], ignored });
});

test.each([
  ['runs.ndjson', 'keys/secret', 'that leads out of the drop, to '],
  ['import.json', 'keys/secret', 'that leads out of the drop, to '],
  ['brands.ndjson', 'nowhere', 'to nothing'],
])(
  'the symbolic link %s to %s is refused, and nothing gets into the lake',
  async (name, target, complaint) => {
    const { lake, dropOf } = await testLake();
    const drop = await dropOf({ 'runs-2.ndjson': [run(1)] });
    // Its name begins with that of the drop.
    await mkdir(`${drop}-keys`);
    await writeFile(`${drop}-keys/secret`, 'SECRET=1\n');
    await symlink(`${drop}-keys`, join(drop, 'keys'));
    await symlink(target, join(drop, name));
    const delivery = deliver(lake, { folder: drop, date: '2026-11-16' });
    await expect(delivery).rejects.toThrow(`${drop}/${name} is a symbolic link ${complaint}`);
    await expect(delivery).rejects.toBeInstanceOf(Failure);
    expect(await filesBelow(lake)).toEqual([]);
  },
);
