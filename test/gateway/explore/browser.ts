import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { pathOf } from '../../support/requires.ts';
import type { ListeningGateway } from '../gateway.ts';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

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
  complaints: string[];
}

/** Loads a page, and records what it complains of. */
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
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium's advice on forms, which only its verbose log shows, is none.
    if (!message.text().startsWith('[DOM]')) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== gateway.base) complaints.push(request.url());
  });
  await page.goto(gateway.base + path);
  return { page, complaints };
}

/** Loads the page, and opens it with the gateway's key. */
export async function openPage(
  browser: Browser,
  gateway: ListeningGateway,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const opened = await loadPage(browser, gateway, options);
  await opened.page.getByRole('textbox', { name: 'API key' }).fill(gateway.key);
  await opened.page.getByRole('button', { name: 'Open' }).click();
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
