import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportOptions } from '../../../jobs/export/export.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { documentPath, pointerKey, snapshotPrefix, tombstoneKey } from '../../../snapshots/layout.ts';
import { pruneSnapshots } from '../../../snapshots/prune/prune.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, workspaceId } from './published.ts';
import type { PublishedWeek } from './published.ts';
import { partOf } from './sheets.ts';
import { rowsOfCsv } from './tables.ts';

let root: string;
let to: string;
let store: ObjectStore;
let keys: Keys;
let weeks: PublishedWeek[];

beforeEach(async () => {
  root = await temporaryFolder();
  to = join(root, 'deep/export');
  store = directoryStore(join(root, 'store'));
  keys = await makeTestKeys(root, 'own');
  const [first, second] = goldenWeeks;
  const again = { ...second!, asOf: '2026-11-17T06:00:00.000Z', workspaceName: 'Renamed' };
  weeks = await publishWeeks(store, [first!, second!, again], keys.signer);
});

const run = async (given: Partial<ExportOptions> = {}) =>
  await exportTables(store, { workspaceId, weeks: 'all', format: 'csv', to, trust: keys.trust, ...given });
const rows = async (table: string) => rowsOfCsv(await readFile(join(to, `${table}.csv`), 'utf8'));
const sequences = async () => [...new Set((await rows('brands')).map(({ sequence }) => sequence))];

/** An export that fails leaves nothing: neither the folder nor its parents. */
async function expectNothingAfter(message: RegExp, given: Partial<ExportOptions> = {}) {
  const before = await readdir(root);
  await expect(run(given)).rejects.toMatchObject({
    name: 'Failure',
    message: expect.stringMatching(message),
  });
  expect(await readdir(root)).toEqual(before);
}

const fileOf = (week: PublishedWeek, path: string) =>
  join(root, 'store', snapshotPrefix(workspaceId, week.snapshotId), path);

describe('weeks', () => {
  test('the newest alone by default of the command, all, or as many as there are', async () => {
    await run({ weeks: 1 });
    expect(await sequences()).toEqual([3]);
    await run({ weeks: 'all' });
    expect(await sequences()).toEqual([1, 3]); // of the second week the last snapshot
    await run({ weeks: 99 });
    expect(await sequences()).toEqual([1, 3]);
  });

  test('a pruned week is left out and named', async () => {
    await pruneSnapshots(store, {
      workspaceId,
      keep: [{ newest: 1 }],
      signer: keys.signer,
      trust: keys.trust,
      now: Date.parse('2027-01-01T00:00:00Z'),
      isDryRun: false,
    });
    expect((await run()).pruned).toEqual([weeks[0]!.snapshotId]);
    expect(await sequences()).toEqual([3]);
  });
});

test('the newest week is not left out because something says that it was pruned', async () => {
  const tombstone = join(root, 'store', tombstoneKey(workspaceId, weeks[2]!.snapshotId));
  await mkdir(dirname(tombstone), { recursive: true });
  await writeFile(tombstone, '{}');
  await run({ weeks: 1 });
  expect(await sequences()).toEqual([3]);
});

test('a workbook has filters on all columns, wide texts, and the ids last', async () => {
  await run({ format: 'xlsx' });
  const sheet = await partOf(to, 'xl/worksheets/sheet10.xml'); // prompts, with its head in row 1
  const [, head] = /<row r="1">(.+?)<\/row>/.exec(sheet)!;
  const names = [...head!.matchAll(/<t [^>]+>(\w+)</g)].map(([, name]) => name!);
  const widths = [...sheet.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) => Number(width));
  expect(names.slice(-4)).toEqual(['workspace_id', 'snapshot_id', 'brand_id', 'prompt_id']);
  expect(names.slice(0, -4).filter((name) => name.endsWith('_id'))).toEqual([]);
  expect(widths).toHaveLength(names.length);
  expect(widths[names.indexOf('prompt_text')]).toBe(60);
  const last = sheet.match(/<row /g)!.length;
  const column = String.fromCharCode(64 + names.length);
  expect(sheet).toContain(`<autoFilter ref="A1:${column}${last}"/>`);
});

describe('only what is verified', () => {
  const brand = goldenWeeks[0]!.brands[0]!.brand.id;

  test('a document that was changed stops it', async () => {
    const file = fileOf(weeks[0]!, documentPath(brand, 'competitors'));
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"mentions":\d/, '"mentions":9'));
    await expectNothingAfter(/competitors\.json does not have the bytes that its manifest names$/);
  });

  test('a document that is missing stops it', async () => {
    await rm(fileOf(weeks[2]!, documentPath(brand, 'prompts')));
    await expectNothingAfter(/prompts\.json is missing$/);
  });

  test('a manifest that was changed stops it, and so does a pointer to another', async () => {
    const file = fileOf(weeks[0]!, 'manifest.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"codeVersion":"test"', '"codeVersion":"best"'));
    await expectNothingAfter(/manifest\.json is not the manifest that the pointer names$/);
    await writeFile(file, text);
    const pointer = join(root, 'store', pointerKey(workspaceId));
    await writeFile(pointer, (await readFile(pointer, 'utf8')).replace(/[0-9a-f]{8}"}/, '00000000"}'));
    await expectNothingAfter(/manifest\.json is not the manifest that the pointer names$/);
  });

  test('a signature by another key stops it; without keys it is not looked at, and the report says so', async () => {
    const other = await makeTestKeys(root, 'other');
    await expectNothingAfter(/is signed with a key that is not trusted/, { trust: other.trust });
    expect((await run({ trust: null })).isSignatureChecked).toBe(false);
    expect((await run()).isSignatureChecked).toBe(true);
  });

  test('a workspace without a snapshot is a clear line', async () => {
    await expectNothingAfter(/has no current snapshot of workspace/, {
      workspaceId: '00000000-0000-4000-8000-000000000000',
    });
  });
});

describe('the folder', () => {
  test('an earlier export in it is replaced, whole', async () => {
    await run({ format: 'parquet' });
    await run({ format: 'csv' });
    expect((await readdir(to)).filter((name) => name.endsWith('parquet'))).toEqual([]);
    expect(await readdir(join(root, 'deep'))).toEqual(['export']);
  });

  test.each([
    [
      'anything else',
      'notes.txt',
      'mine',
      /is not empty, and contains no earlier export; choose another folder$/,
    ],
  ])('%s in it is not touched', async (_, name, text, message) => {
    await mkdir(to, { recursive: true });
    await writeFile(join(to, name), text);
    await expect(run()).rejects.toThrow(message);
    expect(await readdir(to)).toEqual([name]);
  });

  test('an earlier export that was changed, or that something was added to, is not touched', async () => {
    await run();
    await writeFile(join(to, 'notes.txt'), 'mine');
    await expect(run()).rejects.toThrow(/contains notes\.txt, which is not part of the earlier export/);
    await rm(join(to, 'notes.txt'));
    await writeFile(join(to, 'sources.csv'), 'mine');
    await expect(run()).rejects.toThrow(
      /sources\.csv was changed since it was exported; choose another folder$/,
    );
    expect(await readFile(join(to, 'sources.csv'), 'utf8')).toBe('mine');
  });

  test('a file in its place is a clear line', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(run({ to: join(root, 'file') })).rejects.toThrow(/file cannot be written: /);
  });
});

describe('a workbook', () => {
  test('refuses a text that no cell can hold', async () => {
    const [week] = goldenWeeks;
    const long = { ...week!.brands[0]!.brand, name: 'x'.repeat(32_768) };
    const brands = [{ ...week!.brands[0]!, brand: long }];
    await publishWeeks(store, [{ ...week!, asOf: '2026-12-01T06:00:00.000Z', brands }], keys.signer);
    await expectNothingAfter(/has a text of 32768 characters in brand_name, more than the 32767 of a cell/, {
      format: 'xlsx',
    });
  });
});
