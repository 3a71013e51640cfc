import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolders } from '../../support/folder.ts';
import type { ListeningGateway } from '../gateway.ts';
import { loadPage, openPage, settled, startExploreGateway, useBrowser } from './browser.ts';
import type { Opened } from './browser.ts';

const days = ['2026-11-02', '2026-11-09', '2026-11-16'];
export const demoBrands = 3;

type Shown = Opened & { gateway: ListeningGateway };

/** The demo's weeks, published once for the tests of a group, and a browser for them. */
export interface Demo {
  log: TestLog;
  workspaceId: string;
  browser: ReturnType<typeof useBrowser>;
  /** Loads the page of a new gateway over the weeks. */
  load: (options?: BrowserContextOptions) => Promise<Shown>;
  /** The same, with a key of the workspace. */
  open: (options?: BrowserContextOptions) => Promise<Shown>;
}

/** The log and its workspace are filled before the first test. */
export function useDemo(): Demo {
  const demo = { browser: useBrowser() } as Demo;
  const newFolder = temporaryFolders();
  beforeAll(async () => void Object.assign(demo, await publishDemoWeeks(await newFolder())));
  const start = async () => await startExploreGateway({ ...demo, trust: demo.log.trust });
  demo.load = async (options) => {
    const gateway = await start();
    return { gateway, ...(await loadPage(demo.browser(), gateway, options)) };
  };
  demo.open = async (options) => {
    const gateway = await start();
    return { gateway, ...(await openPage(demo.browser(), gateway, options)) };
  };
  return demo;
}

/** Three signed weeks of a demo workspace after eight weeks of runs, so that there are bands. */
async function publishDemoWeeks(root: string): Promise<{ log: TestLog; workspaceId: string }> {
  const log = await testLog(root);
  const drop = join(root, 'drop');
  const size = { seed: 3, workspaces: 1, brands: demoBrands, prompts: 6, cycles: 8 } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  const { lake, store, origin, signer } = log;
  await ingest({ from: drop, lake, date: '2026-09-01' }, { clock: { now: () => Date.parse('2026-11-20') } });
  for (const day of days)
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
