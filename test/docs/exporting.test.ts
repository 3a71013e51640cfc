/** @module-tag long */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import { goldenWeeks } from '../jobs/export/golden-weeks.ts';
import { publishWeeks } from '../jobs/export/published.ts';
import { sheetTables } from '../jobs/export/sheets.ts';
import { testLog } from '../snapshots/publish.ts';
import { programEnvironment } from '../support/environment.ts';
import { describeWith } from '../support/requires.ts';
import { markedBlock, root } from './pages.ts';
import { parts } from './tour.ts';

const page = 'docs/exporting.md';

let folder: string;
let publicKey: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-exporting-'));
  for (const part of parts) await symlink(join(root, part), join(folder, part));
  await mkdir(join(folder, '.data'));
  const log = await testLog(join(folder, '.data'));
  publicKey = log.keys.publicKey;
  await publishWeeks(log, goldenWeeks);
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function run(command: string, ...words: string[]): Promise<string> {
  const env = { ...programEnvironment(), HOME: folder, PUBLIC_KEY_FILE: publicKey };
  const { stdout } = await promisify(execFile)(command, words, { cwd: folder, env });
  return stdout;
}
const runBlock = async (mark: string) => await run('sh', '-euc', markedBlock(page, `exporting: ${mark}`));

/** The sequence numbers in a workbook. */
async function weeksIn(name: string) {
  const { brands } = await sheetTables(join(folder, name));
  return [...new Set(brands.map(({ sequence }) => sequence))];
}

test('a workbook has the newest week, or all weeks', async () => {
  expect(await runBlock('spreadsheet')).toMatch(
    /^Fjord & Co: 1 week, as of 2026-11-16T06:00:00\.000Z, verified$/m,
  );
  expect(await weeksIn('monday')).toEqual([2]);
  await runBlock('all weeks');
  expect(await weeksIn('history')).toEqual([1, 2]);
  await runBlock('all weeks'); // as on the next Monday
});

test('DuckDB finds what was lost', async () => {
  await runBlock('parquet');
  const database = await openDatabase({ scratch: folder });
  const sql = markedBlock(page, 'exporting: sql').replace("'tables/", `'${folder}/tables/`);
  const lost = await rowsOf<{ brand_name: string }>(await database.connect(), sql);
  database.close();
  const expected = goldenWeeks[1]!.brands.flatMap(({ brand, documents }) =>
    (documents.results?.prompts ?? []).flatMap(({ engines }) =>
      engines.filter(({ change }) => change === 'lost').map(() => brand.name),
    ),
  );
  expect(expected.length).toBeGreaterThan(0);
  expect(lost.map((row) => row.brand_name)).toEqual(expected);
});

describeWith(['python3'], 'a notebook', () => {
  test('lists the alerts of all weeks', async () => {
    await runBlock('csv');
    const printed = await run('python3', '-c', markedBlock(page, 'exporting: python'));
    const alerts = goldenWeeks.flatMap(({ asOf, brands }) =>
      brands.flatMap(({ brand, documents }) =>
        documents.visibility!.alerts!.map(({ slug, score }) => [asOf.slice(0, 10), brand.name, slug, score]),
      ),
    );
    expect(alerts.length).toBeGreaterThan(0);
    const lines = printed.trim().split('\n');
    expect(lines).toEqual(
      alerts.map((alert) => `${alert.slice(0, 3).join(' ')} ${(alert[3] as number).toFixed(1)}`),
    );
  });
});
