/** @module-tag slow */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { gzipSync } from 'node:zlib';
import { deliver, publish } from '../jobs.ts';
import { AS_OF, filesBelow, lakeWith, testLake } from '../lake.ts';
import { ids, ndjson, runId, sound, tracked } from '../records.ts';
import type { Fields } from '../records.ts';

const run = (n: number, given: Fields = {}) => sound.runs({ id: runId(n), ...given });

describe('the tracking set', () => {
  test('is the newest one dated on or before the day of the snapshot, whatever the order of delivery', async () => {
    const { ingested, brandNames } = await testLake();
    await ingested({ ...tracked, 'brands.ndjson': [sound.brands({ name: 'of the 16th' })] }, '2026-11-16');
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'of the 17th' })] }, '2026-11-17');
    await ingested({ ...tracked, 'brands.ndjson': [sound.brands({ name: 'of the 9th' })] }, '2026-11-09');
    expect(await brandNames('2026-11-16T00:00:00Z')).toEqual(['of the 16th']);
    expect(await brandNames('2026-11-17T00:00:00Z')).toEqual(['of the 17th']);
    expect(await brandNames('2026-11-15T23:59:59.999999Z')).toEqual(['of the 9th']);
    expect(await brandNames('2026-11-15T23:30:00-01:00')).toEqual(['of the 16th']);
  });

  test('of one date is that of the later delivery', async () => {
    const { ingested, brandNames } = await testLake();
    await ingested({ ...tracked, 'brands.ndjson': [sound.brands({ name: 'first' })] });
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'second' })] });
    expect(await brandNames()).toEqual(['second']);
    // Not a repetition: the correction is taken back.
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'first' })] });
    expect(await brandNames()).toEqual(['first']);
    const again = await ingested({ 'brands.ndjson': [sound.brands({ name: 'first' })] });
    expect(again.delivery).toBeNull();
  });
});

test('what belongs to nothing is kept, counted as orphaned, and shown once its owner comes', async () => {
  const { folder, lake, ingested, answers } = await testLake();
  const stray = runId(77);
  await ingested({
    ...tracked,
    'brands.ndjson': [sound.brands(), sound.brands({ id: stray, workspace_id: runId(78) })],
    'prompts.ndjson': [sound.prompts(), sound.prompts({ id: runId(79), brand_id: runId(80) })],
    'competitors.ndjson': [sound.competitors(), sound.competitors({ id: runId(81), brand_id: runId(80) })],
    'runs.ndjson': [
      run(1),
      run(2, { brand_id: runId(80) }),
      run(3, { brand_id: runId(80), ran_at: '2026-11-16T06:00:00.000001Z' }),
    ],
  });
  const report = await publish(lake, join(folder, 'store'), AS_OF);
  expect(report.orphaned).toEqual({ runs: 1, prompts: 1, competitors: 1, brands: 1 });
  expect(Object.keys(await answers())).toEqual(['brands', ids.brand, 'week']);
  await ingested({ 'brands.ndjson': [sound.brands(), sound.brands({ id: runId(80), name: 'Late' })] });
  const found = await answers();
  expect(found[runId(80)]).toMatchObject({
    visibility: { perEngine: [{ slug: 'perplexity', score: 0 }] },
    prompts: { prompts: [{ id: runId(79) }] },
  });
});

const newLake = lakeWith(async ({ ingested }) => await ingested({ 'runs-before.ndjson': [run(500)] }));

describe('a file that cannot be read fails the ingest in one line that names it, and changes nothing', () => {
  const zipped = gzipSync(ndjson(Array.from({ length: 200 }, (_, n) => run(n))));
  test.each<[string, string, Buffer]>([
    ['a truncated gzip', 'runs.ndjson.gz', zipped.subarray(0, -9)],
    ['an empty gzip', 'runs.ndjson.gz', Buffer.alloc(0)],
    ['no gzip', 'runs.ndjson.gz', Buffer.from(ndjson([run(2)]))],
    [
      'a gzip with a wrong checksum',
      'runs.ndjson.gz',
      Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)]),
    ],
    ['no Parquet', 'runs.parquet', Buffer.from(ndjson([run(2)]))],
    ['an empty Parquet file', 'brands.parquet', Buffer.alloc(0)],
  ])('%s', async (_name, file, bytes) => {
    const { folder, lake, ingested } = await newLake();
    const before = await filesBelow(lake);
    const delivery = ingested({ 'runs-0.ndjson': [run(1)], 'workspaces.ndjson': ['{'], [file]: bytes });
    await expect(delivery).rejects.toThrow(new RegExp(`^${folder}/drop-\\d/${file} cannot be read: [^\n]+$`));
    expect(await filesBelow(lake)).toEqual(before);
  });

  test('a folder that is not there, one without a drop file, and one with a tracking file twice', async () => {
    const { folder, lake, ingested } = await testLake();
    const missing = deliver(lake, { folder: join(folder, 'nowhere'), date: '2026-11-16' });
    await expect(missing).rejects.toThrow(/^the drop .*nowhere does not exist$/);
    await expect(ingested({ 'notes.txt': 'x' })).rejects.toThrow(/^the drop .* contains no drop file/);
    await expect(ingested({ 'brands.ndjson': '', 'brands.ndjson.gz': gzipSync('') })).rejects.toThrow(
      /contains brands twice: brands.ndjson, brands.ndjson.gz$/,
    );
    expect(await filesBelow(lake)).toEqual([]);
  });
});

describe('a symbolic link', () => {
  test('to nothing fails the ingest in one line that names it', async () => {
    const { lake, dropOf } = await testLake();
    const drop = await dropOf({ 'runs.ndjson': [run(1)] });
    await symlink('nowhere', join(drop, 'brands.ndjson'));
    const delivery = deliver(lake, { folder: drop, date: '2026-11-16' });
    await expect(delivery).rejects.toThrow(`${drop}/brands.ndjson is a symbolic link to nothing`);
    await expect(delivery).rejects.toBeInstanceOf(Failure);
    expect(await filesBelow(lake)).toEqual([]);
  });

  test('that stays inside the drop is read, one under another name is left alone', async () => {
    const { folder, lake, dropOf } = await testLake();
    const drop = await dropOf({ 'newest.ndjson': [run(1)] });
    await symlink('newest.ndjson', join(drop, 'runs.ndjson'));
    await symlink('/etc/passwd', join(drop, 'latest'));
    await symlink(drop, join(folder, 'today'));
    const report = await deliver(lake, { folder: join(folder, 'today'), date: '2026-11-16' });
    expect(report).toMatchObject({ files: [{ ingested: 1 }], ignored: ['latest', 'newest.ndjson'] });
  });

  test.each(['runs.ndjson', 'brands.parquet', 'import.json'])(
    'out of the drop, named %s, is refused, and nothing of the file that it leads to gets into the lake',
    async (name) => {
      const { folder, lake, dropOf } = await testLake();
      const drop = await dropOf({ 'runs-2.ndjson': [run(1)] });
      // Its name begins with that of the drop.
      await mkdir(`${drop}-keys`);
      await writeFile(`${drop}-keys/secret`, 'SECRET=1\n');
      await symlink(`${drop}-keys`, join(drop, 'keys'));
      await symlink('keys/secret', join(drop, name));
      const delivery = deliver(lake, { folder: drop, date: '2026-11-16' });
      await expect(delivery).rejects.toThrow(
        `${drop}/${name} is a symbolic link that leads out of the drop, to ${folder}`,
      );
      await expect(delivery).rejects.toBeInstanceOf(Failure);
      expect(await filesBelow(lake)).toEqual([]);
    },
  );
});

test('files that are no part of a drop are named and left alone', async () => {
  const { lake, dropOf } = await testLake();
  const drop = await dropOf({
    'runs.ndjson': [run(1)],
    'notes.txt': 'x',
    'brands.csv': 'x',
    'workspaces.json': '[]',
  });
  await mkdir(join(drop, 'runs-folder.ndjson'));
  const report = await deliver(lake, { folder: drop, date: '2026-11-16' });
  expect(report.ignored).toEqual(['brands.csv', 'notes.txt', 'runs-folder.ndjson', 'workspaces.json']);
});
