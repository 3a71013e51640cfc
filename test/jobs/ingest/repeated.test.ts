/** @module-tag long */
import { expect, test } from 'vitest';
import { rejectsOf } from '../jobs.ts';
import { testLake } from '../lake.ts';
import { citation, ids, mention, runId, sound, tracked } from '../records.ts';
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
