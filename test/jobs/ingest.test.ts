import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import type { IngestReport } from '../../jobs/ingest/report.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answersIn, deliver, publish, rejectsOf } from './jobs.ts';
import { citation, ids, mention, ndjson, runId, sound, tracked, writeDrop } from './records.ts';
import type { Fields, Files } from './records.ts';

const AS_OF = '2026-11-16T06:00:00Z';
const REPEATED = 'the id was delivered before with other content';

let folder: string;
let lake: string;
let drops: number;

beforeEach(async () => {
  folder = await temporaryFolder();
  lake = join(folder, 'lake');
  drops = 0;
});

async function dropOf(files: Files): Promise<string> {
  return await writeDrop(join(folder, `drop-${++drops}`), files);
}

async function ingested(files: Files, date = '2026-11-16'): Promise<IngestReport> {
  return await deliver(lake, { folder: await dropOf(files), date });
}

/** The answers of the one workspace. */
async function answers(asOf = AS_OF): Promise<Record<string, unknown>> {
  const store = join(folder, `store-${++drops}`);
  await publish(lake, store, asOf);
  return await answersIn(store, ids.workspace);
}

async function brandNames(asOf = AS_OF): Promise<string[]> {
  return ((await answers(asOf))['brands'] as { name: string }[]).map(({ name }) => name);
}

async function objectsIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name))
    .toSorted();
}

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
    const report = await ingested({ 'runs.ndjson': [whole, ...same, ...other, whole] });
    expect(report.files).toMatchObject([{ taken: 1, repeated: same.length + 1, refused: other.length }]);
    expect(report.refusals).toEqual([{ reason: REPEATED, records: other.length }]);
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
      { file: 'runs-early.ndjson', taken: 2, repeated: 0, refused: 1 },
      { file: 'runs-late.ndjson.gz', taken: 0, repeated: 0, refused: 1 },
      { file: 'runs.ndjson', taken: 0, repeated: 1, refused: 1 },
    ]);
  });

  test('across deliveries the earlier one stays, also under a later file name and in another cycle', async () => {
    await ingested({ 'runs-z.ndjson': [whole] });
    const report = await ingested({ 'runs-a.ndjson': [...same, ...other, run(2)] });
    expect(report.files).toMatchObject([{ taken: 1, repeated: same.length, refused: other.length }]);
    await ingested(tracked);
    const shown = JSON.stringify(await answers());
    expect(shown).toContain('"mentions":1');
    expect(shown).not.toContain('ai_mode');
  });

  test('a record that was refused is not the first', async () => {
    const report = await ingested({ 'runs.ndjson': [{ ...whole, engine: 'bing' }, whole] });
    expect(report.files).toMatchObject([{ taken: 1, repeated: 0, refused: 1 }]);
  });
});

describe('a file delivered twice', () => {
  test('is a no-op for runs, under another name and date too', async () => {
    const content = ndjson([run(1), '{']);
    await ingested({ 'runs.ndjson': content });
    const before = await objectsIn(lake);
    const report = await ingested({ 'runs-again.ndjson': content }, '2026-11-17');
    expect(report).toMatchObject({
      delivery: null,
      files: [{ known: true, taken: 0, refused: 0 }],
      rejects: null,
    });
    expect(await objectsIn(lake)).toEqual(before);
  });

  test('within one drop is taken once', async () => {
    const content = ndjson([run(1), '{']);
    const report = await ingested({ 'runs-1.ndjson': content, 'runs-2.ndjson': content });
    expect(report.files).toMatchObject([
      { known: false, taken: 1, refused: 1 },
      { known: true, taken: 0, refused: 0 },
    ]);
  });

  test('is a no-op for a tracking set of the same date, and counts for another date', async () => {
    const old = ndjson([sound.brands({ name: 'Old' })]);
    await ingested({ ...tracked, 'brands.ndjson': old }, '2026-11-10');
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'New' })] }, '2026-11-10');
    expect((await ingested({ 'brands.ndjson': old }, '2026-11-10')).delivery).toBeNull();
    expect(await brandNames()).toEqual(['New']);
    expect((await ingested({ 'brands.ndjson': old }, '2026-11-11')).delivery).toBe(3);
    expect(await brandNames()).toEqual(['Old']);
    expect(await brandNames('2026-11-10T23:59:59.999999Z')).toEqual(['New']);
  });
});

describe('the tracking set', () => {
  test('is the newest one dated on or before the day of the snapshot, whatever the order of delivery', async () => {
    await ingested({ ...tracked, 'brands.ndjson': [sound.brands({ name: 'of the 16th' })] }, '2026-11-16');
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'of the 17th' })] }, '2026-11-17');
    await ingested({ ...tracked, 'brands.ndjson': [sound.brands({ name: 'of the 9th' })] }, '2026-11-09');
    expect(await brandNames('2026-11-16T00:00:00Z')).toEqual(['of the 16th']);
    expect(await brandNames('2026-11-17T00:00:00Z')).toEqual(['of the 17th']);
    expect(await brandNames('2026-11-15T23:59:59.999999Z')).toEqual(['of the 9th']);
    expect(await brandNames('2026-11-15T23:30:00-01:00')).toEqual(['of the 16th']);
  });

  test('of one date is that of the later delivery', async () => {
    await ingested({ ...tracked, 'brands.ndjson': [sound.brands({ name: 'first' })] });
    await ingested({ 'brands.ndjson': [sound.brands({ name: 'second' })] });
    expect(await brandNames()).toEqual(['second']);
  });

  test('an empty file replaces with nothing, an absent one changes nothing', async () => {
    await ingested(tracked, '2026-11-10');
    await ingested({ 'competitors.ndjson': '', 'prompts.ndjson': '\n', 'runs.ndjson': [] }, '2026-11-11');
    const found = await answers();
    expect(found['brands']).toMatchObject([{ id: ids.brand }]);
    expect(found[ids.brand]).toMatchObject({
      prompts: { prompts: [] },
      competitors: { shareOfVoice: [{ name: 'Acme', isBrand: true }] },
    });
    await ingested({ 'brands.ndjson': '' }, '2026-11-12');
    expect(await answers()).toEqual({ brands: [] });
  });

  test('a file whose every record is refused replaces with nothing as well', async () => {
    await ingested(tracked);
    await ingested({ 'brands.ndjson': ['{'] });
    expect(await brandNames()).toEqual([]);
  });

  test('keeps the first of one id within a delivery, and refuses others that say something else', async () => {
    const report = await ingested({
      ...tracked,
      'brands.ndjson': [
        sound.brands(),
        sound.brands({ id: ids.brand.toUpperCase(), created_at: '2026-01-05T10:30:00.0+01:00', extra: 1 }),
        sound.brands({ domain: 'acme.example' }),
        sound.brands({ name: 'Acme ' }),
      ],
    });
    expect(report.files.find(({ kind }) => kind === 'brands')).toMatchObject({
      taken: 1,
      repeated: 1,
      refused: 2,
    });
    expect(await rejectsOf(lake, report)).toMatchObject([
      { line: 3, reason: REPEATED },
      { line: 4, reason: REPEATED },
    ]);
    expect(await brandNames()).toEqual(['Acme']);
  });
});

test('what belongs to nothing is kept, counted as orphaned, and shown once its owner comes', async () => {
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
  expect(Object.keys(await answers())).toEqual(['brands', ids.brand]);
  await ingested({ 'brands.ndjson': [sound.brands(), sound.brands({ id: runId(80), name: 'Late' })] });
  const found = await answers();
  expect(found[runId(80)]).toMatchObject({
    visibility: { perEngine: [{ slug: 'perplexity', score: 0 }] },
    prompts: { prompts: [{ id: runId(79) }] },
  });
});

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
    await ingested({ 'runs-before.ndjson': [run(500)] });
    const before = await objectsIn(lake);
    const delivery = ingested({ 'runs-0.ndjson': [run(1)], 'workspaces.ndjson': ['{'], [file]: bytes });
    await expect(delivery).rejects.toThrow(new RegExp(`^${folder}/drop-2/${file} cannot be read: [^\n]+$`));
    expect(await objectsIn(lake)).toEqual(before);
  });

  test('a folder that is not there, one without a drop file, and one with a tracking file twice', async () => {
    const missing = deliver(lake, { folder: join(folder, 'nowhere'), date: '2026-11-16' });
    await expect(missing).rejects.toThrow(/^the drop .*nowhere cannot be read: [^\n]+$/);
    await expect(ingested({ 'notes.txt': 'x' })).rejects.toThrow(/^the drop .* holds no drop file/);
    await expect(ingested({ 'brands.ndjson': '', 'brands.ndjson.gz': gzipSync('') })).rejects.toThrow(
      /holds brands twice: brands.ndjson, brands.ndjson.gz$/,
    );
    expect(await objectsIn(lake)).toEqual([]);
  });
});

test('files that are no part of a drop are named and left alone', async () => {
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

test('a drop that failed can be delivered again once it is mended', async () => {
  const drop = await dropOf({ ...tracked, 'runs.ndjson.gz': 'x' });
  await expect(deliver(lake, { folder: drop, date: '2026-11-16' })).rejects.toThrow(
    'runs.ndjson.gz cannot be read',
  );
  await writeFile(join(drop, 'mended'), ndjson([run(1)]));
  await rename(join(drop, 'mended'), join(drop, 'runs.ndjson'));
  await writeFile(join(drop, 'runs.ndjson.gz'), gzipSync(ndjson([run(2)])));
  expect((await deliver(lake, { folder: drop, date: '2026-11-16' })).files).toHaveLength(6);
});
