/** @module-tag long */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, workspaceId } from './published.ts';

let folder: string;
let log: TestLog;
beforeEach(async () => {
  folder = await temporaryFolder();
  log = await testLog(folder);
  await publishWeeks(log, goldenWeeks);
});

const run = async (words: string[]) =>
  await runHere('job', ['export', ...words], {
    settings: {
      STORE_URL: log.store.url,
      PUBLIC_KEY_FILE: log.keys.publicKey,
    },
  });
const to = () => ['--to', join(folder, 'out')];

test('--json prints what was written; the default is the newest week, and the key of the settings', async () => {
  const { status, stdout, stderr } = await run([...to(), '--format', 'csv', '--json']);
  expect([status, stderr]).toEqual([0, '']);
  const report = JSON.parse(stdout) as { files: { file: string }[] };
  expect(report).toMatchObject({ workspaceId, snapshots: [{ sequence: 2 }] });
  expect((await readdir(join(folder, 'out'))).toSorted()).toEqual(
    ['datapackage.json', ...report.files.map(({ file }) => file)].toSorted(),
  );
});

const exportedBrands = async () => await readFile(join(folder, 'out', 'brands.csv'), 'utf8');

test('--brand leaves out the other brands, and names all if there is no such brand', async () => {
  expect((await run([...to(), '--format', 'csv'])).status).toBe(0);
  expect(await exportedBrands()).toContain('HYPERLINK');
  const { name } = goldenWeeks[0]!.brands[0]!.brand;
  const part = name.slice(0, -2);
  const ended = await run([...to(), '--format', 'csv', '--brand', name]);
  expect([ended.status, ended.stderr]).toEqual([0, '']);
  expect(await exportedBrands()).toContain(name);
  expect(await exportedBrands()).not.toContain('HYPERLINK');
  expect((await run([...to(), '--format', 'csv', '--brand', part])).stderr).toMatch(
    new RegExp(`^sightline: no brand of the snapshot matches ${part}: ${name} \\(`),
  );
});

test('--tables writes these alone, from their documents alone', async () => {
  const [first] = goldenWeeks;
  await publishWeeks(log, [{ ...first!, asOf: '2026-11-23T06:00:00.000Z' }]);
  const ended = await run([...to(), '--format', 'csv', '--tables', 'visibility,share_of_voice', '--json']);
  expect([ended.status, ended.stderr]).toEqual([0, '']);
  expect((await readdir(join(folder, 'out'))).toSorted()).toEqual([
    'datapackage.json',
    'share_of_voice.csv',
    'visibility.csv',
  ]);
  const unknown = await run([...to(), '--format', 'csv', '--tables', 'visibility,sov']);
  expect(unknown.status).toBe(2);
  expect(unknown.stderr).toMatch(/sov is none of the tables: brands, visibility, /);
});

test('another key is status 1 and one line', async () => {
  const other = await makeTestKeys(folder, 'other');
  const ended = await run([...to(), '--format', 'csv', '--public-key', other.publicKey]);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^sightline: .* is not signed with a trusted key\n$/);
});

test.each([
  ['no folder', ['--format', 'csv']],
  ['another format', ['--to', 'out', '--format', 'ods']],
  ['no week', ['--to', 'out', '--format', 'csv', '--weeks', '0']],
])('%s is wrong usage', async (_, words) => {
  expect(await run(words)).toMatchObject({ status: 2, stdout: '' });
});
