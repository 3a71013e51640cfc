/** @module-tag long */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rejectsOf } from '../jobs.ts';
import { filesBelow, testLake } from '../lake.ts';
import { citation, ids, mention, ndjson, runId, sound, tracked } from '../records.ts';
import type { Fields } from '../records.ts';

const REPEATED = 'the id was delivered before with other content';
const run = (n: number, given: Fields = {}) => sound.runs({ id: runId(n), ...given });
const second = mention({ name: 'B', subject: 'other', position: 2 });
const whole = run(1, { mentions: [mention(), second], citations: [citation()] });
const same = [
  { ...Object.fromEntries(Object.entries(whole).toReversed()), unknown: 1 },
  { ...whole, id: runId(1).toUpperCase(), brand_id: ids.brand.toUpperCase() },
  { ...whole, ran_at: '2026-11-09T10:30:00.0000009+02:30' },
  { ...whole, mentions: [mention({ competitor_id: 'ignored' }), second] },
];
const other: Fields[] = [
  { ...whole, ran_at: '2026-11-09T08:00:00.000001Z' },
  { ...whole, cycle_date: '2026-11-02' },
  { ...whole, engine: 'ai_mode' },
  { ...whole, prompt_id: runId(5) },
  { ...whole, mentions: [second, mention()] },
  { ...whole, mentions: [mention({ sentiment: null }), second] },
  { ...whole, mentions: [mention({ name: ' Acme' }), second] },
  { ...whole, citations: [citation({ url: 'https://news.example/b' })] },
  { ...whole, citations: [] },
];

test('a run that is delivered again counts once if it says the same, and is refused if it does not: within a file, and in a later delivery', async () => {
  const { lake, ingested, answers } = await testLake();
  const refused = { ...whole, engine: 'bing' };
  const report = await ingested({ ...tracked, 'runs-z.ndjson': [refused, whole, ...same, ...other, whole] });
  const file = { repeated: same.length + 1, refused: other.length + 1 };
  expect(report.files).toContainEqual(expect.objectContaining({ ingested: 1, ...file }));
  expect((await rejectsOf(lake, report)).slice(1)).toEqual(
    other.map((record, n) => ({
      file: 'runs-z.ndjson',
      line: n + same.length + 3,
      reason: REPEATED,
      record: JSON.stringify(record),
    })),
  );
  const later = await ingested({ 'runs-a.ndjson': [...same, ...other, run(2)] });
  expect(later.files).toMatchObject([{ ingested: 1, repeated: same.length, refused: other.length }]);
  const shown = JSON.stringify(await answers());
  expect(shown).toContain('"mentions":1');
  expect(shown).not.toContain('ai_mode');
});

test('across files of a drop the first is the one whose file has the smaller name, zipped or not', async () => {
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
  expect(report.files.map(({ ingested: count, repeated }) => [count, repeated])).toEqual([
    [2, 0],
    [0, 0],
    [0, 1],
  ]);
});

// By these a run is found in the lake.
test('a run whose id has the first 48 bits of the MD5 of another is not taken for it', async () => {
  const [one, next] = [7_297_140, 9_163_015].map((n) => run(n));
  const { ingested } = await testLake();
  await ingested({ 'runs.ndjson': [one!] });
  const report = await ingested({ 'runs-1.ndjson': [next!], 'runs-2.ndjson': [one!, next!] });
  expect(report.files).toMatchObject([
    { ingested: 1, repeated: 0 },
    { ingested: 0, repeated: 2, refused: 0 },
  ]);
});

test('a file of runs that is delivered again changes nothing: in the same drop, or under another name and date', async () => {
  const { lake, ingested } = await testLake();
  const content = ndjson([run(1), '{']);
  const first = await ingested({ 'runs-1.ndjson': content, 'runs-2.ndjson': content });
  expect(first.files).toMatchObject([
    { known: false, ingested: 1, refused: 1 },
    { known: true, ingested: 0, refused: 0 },
  ]);
  const before = await filesBelow(lake);
  const again = await ingested({ 'runs-again.ndjson': content }, '2026-11-17');
  expect(again).toMatchObject({ delivery: null, files: [{ known: true, ingested: 0 }], rejects: null });
  expect(await filesBelow(lake)).toEqual(before);
});
