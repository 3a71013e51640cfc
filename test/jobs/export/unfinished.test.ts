/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';

const BRANDS = 60;
const PROMPTS = 200;

/** Brands whose documents, some 200 kB each, are together more than a batch of the export. */
const brands = Array.from({ length: BRANDS }, (_, number) => {
  const id = `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const createdAt = '2026-01-05T09:30:00.000Z';
  const prompt = { id, text: 'Which? '.repeat(120), isActive: true, createdAt, namesBrand: false, tags: [] };
  const prompts = Array.from({ length: PROMPTS }, () => prompt);
  return {
    brand: { id, name: `Brand ${number}`, domain: '', createdAt },
    documents: { prompts: { prompts } },
  };
});

const namesIn = async (path: string): Promise<string[]> => await readdir(path).catch(() => []);

test('an export that is killed leaves no folder, and the next one, of a workspace larger than a batch, removes what it left', async () => {
  const folder = await temporaryFolder();
  const log = await testLog(folder);
  await publishWeeks(log, [{ asOf: '2026-01-05T06:00:00.000Z', workspaceName: null, brands }]);
  const to = join(folder, 'tables/export');
  const places = ['--to', to, '--store', log.store.url, '--public-key', log.keys.publicKey];
  const words = ['export', ...places, '--format', 'csv'];
  const killed = spawn(process.execPath, ['jobs/cli.ts', ...words], { stdio: 'ignore' });
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
  const logged = await readPublished(log);
  const { tables } = await exportTables(logged, { workspaceId, weeks: 1, format: 'parquet', to });
  expect(await present()).toEqual(['export']);
  expect(tables).toContainEqual(expect.objectContaining({ table: 'brands', rows: BRANDS }));
  expect(tables).toContainEqual(expect.objectContaining({ table: 'prompts', rows: BRANDS * PROMPTS }));
});
