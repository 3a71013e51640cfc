/** @module-tag black-box */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rejectsOf, runHere } from '../../adapters/deliver.ts';
import { testLake } from '../lake.ts';
import { ids, ndjson, runId, sound, tracked } from '../records.ts';

const run = sound.runs({ id: runId(1) });
const two = [sound.brands(), sound.brands({ id: runId(50), name: 'Second' })];
const names = async (brandNames: () => Promise<string[]>) => (await brandNames()).toSorted();

describe('a tracking file with a refused record', () => {
  const cut = ndjson(two).slice(0, -20);

  test('is not ingested: the state before stays in force, the rest of the drop is taken', async () => {
    const { lake, ingested, brandNames } = await testLake();
    await ingested({ ...tracked, 'brands.ndjson': two });
    const report = await ingested({ 'brands.ndjson': cut, 'runs.ndjson': [run] }, '2026-11-16');
    expect(report.files).toMatchObject([
      { file: 'brands.ndjson', ingested: 0, refused: 1, known: false, notIngested: 'refused' },
      { file: 'runs.ndjson', ingested: 1, notIngested: null },
    ]);
    expect(await rejectsOf(lake, report)).toMatchObject([
      { file: 'brands.ndjson', line: 2, reason: 'not a JSON object' },
    ]);
    expect(await names(brandNames)).toEqual(['Acme', 'Second']);
  });

  test('is left alone when it comes again, and taken once --partial-tracking allows it', async () => {
    const { lake, ingested, brandNames } = await testLake();
    await ingested({ ...tracked, 'brands.ndjson': two });
    const first = await ingested({ 'brands.ndjson': cut });
    expect(first).toMatchObject({ delivery: 2, files: [{ notIngested: 'refused' }] });
    const again = await ingested({ 'brands.ndjson': cut });
    expect(again).toMatchObject({
      delivery: null,
      files: [{ known: true, refusedBefore: 1, notIngested: 'refused' }],
    });
    const allowed = await ingested({ 'brands.ndjson': cut }, '2026-11-16', { partialTracking: true });
    expect(allowed).toMatchObject({ delivery: 3, files: [{ ingested: 1, refused: 1, notIngested: null }] });
    expect(await rejectsOf(lake, allowed)).toEqual(await rejectsOf(lake, first));
    expect(await brandNames()).toEqual(['Acme']);
    expect((await ingested({ 'brands.ndjson': cut })).files).toMatchObject([
      { known: true, notIngested: null },
    ]);
  });

  test('of which every one is refused needs --empty-tracking as well', async () => {
    const { ingested, brandNames } = await testLake();
    await ingested(tracked);
    const array = { 'brands.ndjson': JSON.stringify(two) };
    const partial = await ingested(array, '2026-11-16', { partialTracking: true });
    expect(partial.files).toMatchObject([{ refused: 1, notIngested: 'empty' }]);
    expect(await brandNames()).toEqual(['Acme']);
    await ingested(array, '2026-11-16', { partialTracking: true, emptyTracking: true });
    expect(await brandNames()).toEqual([]);
  });
});

test.each(['', '\n \r\n', Buffer.from([0xef, 0xbb, 0xbf])])(
  'a tracking file without a record (%j) is not taken',
  async (bytes) => {
    const { ingested, brandNames } = await testLake();
    await ingested(tracked);
    expect((await ingested({ 'brands.ndjson': bytes })).files).toMatchObject([{ notIngested: 'empty' }]);
    expect(await brandNames()).toEqual(['Acme']);
    expect((await ingested({ 'brands.ndjson': bytes })).files).toMatchObject([
      { known: true, notIngested: 'empty' },
    ]);
  },
);

describe('npm run job -- ingest', () => {
  test('names a file that it did not take, says how to take it, and ends with 1, again and again', async () => {
    const { folder, dropOf, brandNames } = await testLake();
    const ingested = async (drop: string, ...more: string[]) =>
      await runHere('job', [
        'ingest',
        '--from',
        drop,
        '--lake',
        join(folder, 'lake'),
        '--date',
        '2026-11-16',
        ...more,
      ]);
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
        expect.stringMatching(
          /^sightline: brands.ndjson was not ingested: 1 refused, .* --partial-tracking /,
        ),
        expect.stringMatching(
          /^sightline: competitors.ndjson was not ingested: no valid .* --empty-tracking /,
        ),
        'sightline: runs.ndjson: every record was refused (2)',
      ]);
    }
    expect(await brandNames()).toEqual(['Acme']);
    const allowed = await ingested(bad, '--partial-tracking', '--empty-tracking');
    expect(allowed).toMatchObject({
      status: 1,
      stderr: 'sightline: runs.ndjson: every record was refused (2)\n',
    });
    expect(await brandNames()).toEqual(['New']);
    const mended = await dropOf({ 'brands.ndjson': [sound.brands({ id: ids.brand.toUpperCase() })] });
    expect(await ingested(mended)).toMatchObject({ status: 0, stderr: '' });
  });
});
