/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportReport } from '../../../jobs/export/export.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import type { GivenBrand } from './published.ts';

const newFolder = temporaryFolders();

const BRANDS = 60;
const ENGINES = 8;
const PROMPTS = 25;
const NAMES = 15;

/** A brand whose stability document has 3,000 names, in some 150 kB. */
function brandOf(number: number): GivenBrand {
  const idOf = (n: number) =>
    `${String(number).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const names = Array.from({ length: NAMES }, (_, n) => ({ entity: `Name ${n}`, stability: 0.25 }));
  const engines = Array.from({ length: ENGINES }, () => ({
    slug: 'chatgpt',
    cyclesObserved: 12,
    isWarmingUp: false,
    brandPlacement: 'absent',
    brandStability: 0,
    core: [],
    carousel: names,
  }));
  const prompts = Array.from({ length: PROMPTS }, (_, n) => ({
    promptId: idOf(n),
    promptText: `Which tool is the best for ${n}?`,
    engines,
  }));
  const brand = { id: idOf(0), name: `Brand ${number}`, domain: '', createdAt: '2026-01-05T09:30:00.000Z' };
  return { brand, documents: { stability: { prompts } } as unknown as GivenBrand['documents'] };
}

let folder: string;
let log: TestLog;
beforeAll(async () => {
  folder = await newFolder();
  const brands = Array.from({ length: BRANDS }, (_, number) => brandOf(number));
  const week = { asOf: '2026-01-05T06:00:00.000Z', workspaceName: null, brands };
  log = await testLog(folder);
  await publishWeeks(log, [week]);
});

async function run(): Promise<ExportReport> {
  const to = join(folder, 'tables/export');
  return await exportTables(await readPublished(log), { workspaceId, weeks: 1, format: 'parquet', to });
}

const namesIn = async (path: string): Promise<string[]> => await readdir(path).catch(() => []);

test('an export that is killed leaves no folder, and the next one removes what it left', async () => {
  const given = ['--to', join(folder, 'tables/export'), '--format', 'csv', '--store', log.store.url];
  const key = ['--public-key', log.keys.publicKey];
  const killed = spawn(process.execPath, ['jobs/cli.ts', 'export', ...given, ...key], { stdio: 'ignore' });
  const ended = once(killed, 'exit');
  const present = async () => await namesIn(join(folder, 'tables'));
  // Only from then on another export can know that the folder's owner has ended.
  await until(async () => {
    const [unfinished = '.'] = await present();
    return (await namesIn(join(folder, 'tables', unfinished))).includes('new');
  });
  killed.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await present()).toEqual([expect.stringMatching(/^sightline-export-/)]);
  await run();
  expect(await present()).toEqual(['export']);
});

test('a workspace whose documents are larger than a batch fits into the memory of the export', async () => {
  const { tables } = await run();
  const engines = BRANDS * PROMPTS * ENGINES;
  expect(Object.fromEntries(tables.map(({ table, rows }) => [table, rows]))).toMatchObject({
    brands: BRANDS,
    stability: engines,
    stability_names: engines * NAMES,
  });
});
