import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { exploreFiles } from '../../../gateway/explore/files.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { pathOf } from '../../support/requires.ts';
import { setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface ExploreGatewayOptions {
  log: TestLog;
  workspaceId: string;
  requestsPerMinute?: number;
}

/** A gateway with the page; `key` is of the workspace. */
export async function startExploreGateway(options: ExploreGatewayOptions): Promise<ListeningGateway> {
  const { log, workspaceId, requestsPerMinute = 10_000 } = options;
  const publicFiles = [...documentationFiles(), ...exploreFiles(async () => log.trust)];
  const gateway = await startListeningGateway(systemClock, { log, publicFiles });
  await setPlan(gateway.records, workspaceId, 'agency', requestsPerMinute);
  return { ...gateway, key: await gateway.createKey(workspaceId) };
}

/** A browser for the tests of a group, closed at its end. It can be asked for within a test. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: ['--no-sandbox'],
      timeout: 0,
    });
  });
  afterAll(async () => await browser?.close());
  return () => browser!;
}

export interface Opened {
  page: Page;
  /** The paths of the API that were requested. */
  requests: string[];
  /** What X-RateLimit-Remaining said. */
  remaining: number[];
  complaints: string[];
}

/** Loads the page, and records what it requests and complains of. */
export async function loadPage(
  browser: Browser,
  gateway: ListeningGateway,
  options: BrowserContextOptions = {},
  path = '/explore',
): Promise<Opened> {
  const context = await browser.newContext(options);
  onTestFinished(async () => await context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(0); // the test's own is the limit
  const [requests, remaining, complaints]: [string[], number[], string[]] = [[], [], []];
  page.on('console', (message) => {
    // Chromium's advice on forms, which only its verbose log shows, is none.
    if (!message.text().startsWith('[DOM]')) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin !== gateway.base) complaints.push(request.url());
    if (pathname.startsWith('/api/')) requests.push(pathname);
  });
  page.on('response', (response) => {
    const left = response.headers()['x-ratelimit-remaining'];
    if (left !== undefined) remaining.push(Number(left));
  });
  await page.goto(gateway.base + path);
  return { page, requests, remaining, complaints };
}

/** Opens the page that was loaded. */
export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByRole('textbox', { name: 'API key' }).fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
}

/** Loads the page, and opens it with the gateway's key. */
export async function openPage(
  browser: Browser,
  gateway: ListeningGateway,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const opened = await loadPage(browser, gateway, options);
  await enterKey(opened.page, gateway.key);
  return opened;
}

/** Waits until nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#content table').first().waitFor();
  await page.locator('#progress:empty').waitFor({ state: 'attached' });
}

/** What axe finds, with every part of the page unfolded. */
export async function faultsOf(page: Page): Promise<unknown> {
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
  await page.evaluate(await readFile(axePath, 'utf8'));
  return await page.evaluate(
    // Without the details of what is right, which take most of the time.
    'axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
  );
}

/** Waits until the element has the text. */
export async function expectText(element: Locator, text: string | RegExp): Promise<void> {
  const found = element.filter({ hasText: text });
  await found.first().waitFor();
  expect(await found.count()).toBe(1);
}
