/** @module-tag long */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportOptions, ExportReport } from '../../../jobs/export/export.ts';
import { documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import { sheetTables } from './sheets.ts';

const [week, second] = goldenWeeks as [(typeof goldenWeeks)[0], (typeof goldenWeeks)[0]];

let root: string;
let to: string;
let log: TestLog;
let snapshots: string[];
beforeEach(async () => {
  root = await temporaryFolder();
  to = join(root, 'deep/export');
  log = await testLog(root);
  const again = { ...second, asOf: '2026-11-17T06:00:00.000Z', workspaceName: 'Renamed' };
  snapshots = await publishWeeks(log, [week, second, again]);
});

const run = async (...words: string[]) =>
  await runHere('job', ['export', '--to', to, '--format', 'csv', ...words], {
    settings: { STORE_URL: log.store.url, PUBLIC_KEY_FILE: log.keys.publicKey },
  });

/** The report of an export that must succeed. */
async function reported(...words: string[]): Promise<ExportReport> {
  const { status, stdout, stderr } = await run(...words, '--json');
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as ExportReport;
}
const sequencesOf = ({ snapshots: chosen }: ExportReport) => chosen.map(({ sequence }) => sequence);

/** An export that fails leaves nothing: neither the folder nor its parents. */
async function expectNothingAfter(message: RegExp, ...words: string[]) {
  const before = await readdir(root);
  const ended = await run(...words);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^sightline: [^\n]+\n$/);
  expect(ended.stderr).toMatch(message);
  expect(await readdir(root)).toEqual(before);
}

test('--weeks: the newest alone by default, all, or as many as there are; of a week the last snapshot', async () => {
  expect(sequencesOf(await reported())).toEqual([3]);
  for (const weeks of ['all', '99']) expect(sequencesOf(await reported('--weeks', weeks))).toEqual([1, 3]);
});

test.each(['pruned', 'lost'] as const)('a %s week is left out and named', async (reason) => {
  const snapshotId = snapshots[0]!;
  const drafts = [{ kind: 'withdrawn' as const, workspaceId, snapshotId, reason }];
  await commitToLog(log, async () => await Promise.resolve({ drafts }));
  const report = await reported('--weeks', 'all');
  expect(report).toMatchObject({ pruned: [], lost: [], [reason]: [snapshotId] });
  expect(sequencesOf(report)).toEqual([3]);
  expect(await reported()).toMatchObject({ pruned: [], lost: [] });
  expect((await run('--weeks', 'all')).stdout).toContain(
    `\nleft out, as they were ${reason}: ${snapshotId}\n`,
  );
});

test('of a workspace whose weeks are all withdrawn nothing is exported', async () => {
  const withdrawn = { kind: 'withdrawn' as const, workspaceId, reason: 'mistaken' as const };
  const drafts = snapshots.map((snapshotId) => ({ ...withdrawn, snapshotId }));
  await commitToLog(log, async () => await Promise.resolve({ drafts }));
  await expectNothingAfter(/^sightline: workspace \S+ has no current snapshot\n$/);
});

const exportedBrands = async () => await readFile(join(to, 'brands.csv'), 'utf8');

test('--brand leaves out the other brands, and names all if there is no such brand', async () => {
  await reported();
  expect(await exportedBrands()).toContain('HYPERLINK');
  const { name } = week.brands[0]!.brand;
  await reported('--brand', name);
  expect(await exportedBrands()).toContain(name);
  expect(await exportedBrands()).not.toContain('HYPERLINK');
  const part = name.slice(0, -2);
  expect((await run('--brand', part)).stderr).toMatch(
    new RegExp(`^sightline: no brand of the snapshot matches ${part}: ${name} \\(`),
  );
});

test('--tables writes these alone, and an unknown one is wrong usage', async () => {
  await reported('--tables', 'visibility,share_of_voice');
  const files = ['datapackage.json', 'share_of_voice.csv', 'visibility.csv'];
  expect((await readdir(to)).toSorted()).toEqual(files);
  expect(await run('--tables', 'visibility,sov')).toMatchObject({ status: 2, stdout: '' });
});

test('only what is verified: another key stops the export, and a document that was changed', async () => {
  const other = await makeTestKeys(root, 'other');
  await expectNothingAfter(/ is not signed with a trusted key$/m, '--public-key', other.publicKey);
  const document = documentPath(week.brands[0]!.brand.id, 'competitors');
  const file = join(root, 'store', snapshotPrefix(workspaceId, snapshots[0]!), document);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/"mentions":\d/, '"mentions":9'));
  await expectNothingAfter(
    /competitors\.json does not have the bytes that its manifest names$/m,
    '--weeks',
    'all',
  );
});

test('an earlier export in the folder is replaced, whole; anything else in it is not touched', async () => {
  await reported('--format', 'parquet');
  await reported();
  expect((await readdir(to)).filter((name) => name.endsWith('parquet'))).toEqual([]);
  expect(await readdir(join(root, 'deep'))).toEqual(['export']);
  await writeFile(join(to, 'notes.txt'), 'mine');
  expect((await run()).stderr).toMatch(/contains notes\.txt, which is not part of the earlier export/);
  await rm(join(to, 'notes.txt'));
  await writeFile(join(to, 'sources.csv'), 'mine');
  expect((await run()).stderr).toMatch(/sources\.csv was changed since it was exported; choose another/);
  await rm(join(to, 'datapackage.json'));
  expect((await run()).stderr).toMatch(
    /is not empty, and contains no earlier export; choose another folder$/m,
  );
  expect(await readFile(join(to, 'sources.csv'), 'utf8')).toBe('mine');
});

const exported = async (given: Partial<ExportOptions>) =>
  await exportTables(await readPublished(log), { workspaceId, weeks: 'all', format: 'xlsx', to, ...given });

test('a workbook leaves out the names of stability if they are more than the rows of a sheet, and refuses any other table', async () => {
  const { tables } = await exported({});
  const names = tables.find(({ table }) => table === 'stability_names')!.rows;
  const smaller = tables.filter(({ rows }) => rows < names).map(({ table }) => table);
  const wanted: Partial<ExportOptions> = { tables: [...smaller, 'stability_names'] };
  expect(await exported({ ...wanted, mostRows: names })).toMatchObject({ leftOut: [] });
  expect(await exported({ ...wanted, mostRows: names - 1 })).toMatchObject({
    leftOut: ['stability_names'],
  });
  expect(Object.keys(await sheetTables(to))).toEqual(smaller);
  await expect(exported({ mostRows: 1 })).rejects.toThrow(
    /^the table brands has \d+ rows, more than the 1 of a sheet; export fewer weeks, /,
  );
});

test('of documents that are together more than a batch, every row is there', async () => {
  const createdAt = '2026-01-05T09:30:00.000Z';
  const brands = Array.from({ length: 5 }, (_, number) => {
    const id = `0000000${number}-0000-4000-8000-000000000000`;
    const prompt = { id, text: 'x'.repeat(1000), isActive: true, createdAt, namesBrand: false, tags: [] };
    const prompts = Array.from({ length: 2000 }, () => prompt);
    return {
      brand: { id, name: `Brand ${number}`, domain: '', createdAt },
      documents: { prompts: { prompts } },
    };
  });
  await publishWeeks(log, [{ ...week, asOf: '2026-12-01T06:00:00.000Z', brands }]);
  const { tables } = await reported();
  expect(tables).toContainEqual(expect.objectContaining({ table: 'brands', rows: 5 }));
  expect(tables).toContainEqual(expect.objectContaining({ table: 'prompts', rows: 10_000 }));
});

test('a workbook refuses a text that no cell can hold', async () => {
  const long = { ...week.brands[0]!.brand, name: 'x'.repeat(32_768) };
  const brands = [{ brand: long, documents: {} }];
  await publishWeeks(log, [{ ...week, asOf: '2026-12-01T06:00:00.000Z', brands }]);
  const message = /has a text of 32768 characters in brand_name, more than the 32767 of a cell; /;
  await expectNothingAfter(message, '--format', 'xlsx');
  await reported();
});
