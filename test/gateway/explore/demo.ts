import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { settled } from './browser.ts';

export const demoBrands = 3;

/** Three signed weeks of a demo workspace after eight weeks of runs, so that there are bands. */
export async function publishDemoWeeks(root: string): Promise<{ log: TestLog; workspaceId: string }> {
  const log = { ...(await testLog(root)), store: memoryStore(new Map()) };
  const { lake, store, origin, signer } = log;
  const drop = join(root, 'drop');
  const size = { seed: 3, workspaces: 1, brands: demoBrands, prompts: 6, cycles: 8 } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  await ingest({ from: drop, lake, date: '2026-09-01' }, { clock: { now: () => Date.parse('2026-11-20') } });
  for (const day of ['2026-11-02', '2026-11-09', '2026-11-16'])
    await weekly({ lake, store, origin, signer, asOf: parseInstant(`${day}T23:00:00Z`)! });
  const [workspaceId] = [...(await readLog(store, log))!.heads.keys()] as [string];
  return { log, workspaceId };
}

/** Shows the brand whose link is first; its name. */
export async function openBrand(page: Page): Promise<string> {
  await settled(page);
  const link = page.getByRole('table').getByRole('link').first();
  const name = await link.innerText();
  await link.click();
  await page.getByRole('heading', { level: 2, name }).waitFor();
  await settled(page);
  return name;
}

/** Unfolds the menu. */
export const openMenu = async (page: Page) => await page.getByText('Menu', { exact: true }).click();

/** What a button downloads: the name of the file, and its text. */
export async function download(page: Page, button: string | RegExp): Promise<{ name: string; text: string }> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const file = await downloading;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}
