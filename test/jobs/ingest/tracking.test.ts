/** @module-tag black-box */
import { expect, test } from 'vitest';
import { runHere } from '../../adapters/deliver.ts';
import { testLake } from '../lake.ts';
import { ids, sound, tracked } from '../records.ts';

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
    await runHere('job', ['ingest', '--from', drop, '--lake', lake, '--date', '2026-11-16', ...more]);
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
