/** @module-tag long */
import { describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
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

  // By these a run is found in the lake.
  test('whose id has the first 48 bits of the MD5 of another is not taken for it', async () => {
    const [one, next] = [7_297_140, 9_163_015].map((n) => run(n));
    const { ingested } = await testLake();
    await ingested({ 'runs.ndjson': [one!] });
    const report = await ingested({ 'runs-1.ndjson': [next!], 'runs-2.ndjson': [one!, next!] });
    expect(report.files).toMatchObject([
      { ingested: 1, repeated: 0 },
      { ingested: 0, repeated: 2, refused: 0 },
    ]);
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
});
