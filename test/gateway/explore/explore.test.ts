import { exec } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeTestKeys } from '../../snapshots/history.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { logInMemory, setPlan } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { numberedBrands, publishBrands } from '../snapshots.ts';
import {
  enterKey,
  expectText,
  faultsOf,
  loadPage,
  openPage,
  settled,
  startExploreGateway,
  useBrowser,
} from './browser.ts';
import { demoBrands, download, openBrand, openMenu, publishDemoWeeks } from './demo.ts';

const newFolder = temporaryFolders();

test('the bundle that is served was made from the sources', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { explore: string } };
  const made = join(await temporaryFolder(), 'page.js');
  await promisify(exec)(scripts.explore.replace('gateway/explore/page.js', made), {
    env: { ...process.env, PATH: `node_modules/.bin:${process.env['PATH']}` },
  });
  const served = await readFile('gateway/explore/page.js', 'utf8');
  expect(served === (await readFile(made, 'utf8')), 'run npm run explore').toBe(true);
});

/** Alters what the page gets from the addresses of a pattern. */
async function alter(page: Page, pattern: string, from: string | RegExp, to: string): Promise<void> {
  await page.route(pattern, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(from, to) });
  });
}

describeWith(['chromium'], '/explore in a browser', () => {
  const browser = useBrowser();
  let demo: Awaited<ReturnType<typeof publishDemoWeeks>>;
  let gateway: ListeningGateway;
  beforeAll(async () => {
    demo = await publishDemoWeeks(await newFolder());
    gateway = await startExploreGateway(demo);
  });
  afterAll(async () => await gateway?.close());
  const open = async (options?: BrowserContextOptions) => await openPage(browser(), gateway, options);

  test('shows and sorts the week of every brand after two requests, and verifies it, with a pasted key too', async () => {
    const { page, requests, complaints } = await open({ colorScheme: 'dark' });
    const status = page.getByRole('status');
    await expectText(status, /^Verified ✓ signed log/);
    expect(requests.slice(0, 3)).toEqual([
      '/api/v1/week',
      '/api/v1/snapshots',
      expect.stringMatching(/^\/api\/v1\/snapshots\/20261109T\S+\/week$/),
    ]);
    expect(requests.slice(3).map((path) => path.replace(/.*\//, ''))).toEqual(['proof', 'proof']);
    expect(await page.getByRole('row').count()).toBe(1 + demoBrands);
    const visibilities = async () => {
      const cells = await page.getByRole('row').locator('td:nth-child(3)').allInnerTexts();
      return cells.map((text) => Number.parseFloat(text));
    };
    const unsorted = await visibilities();
    await page.getByRole('button', { name: 'Visibility, %' }).click();
    expect(await visibilities()).toEqual(unsorted.toSorted((a, b) => a - b));
    await status.getByText('Verified').click();
    await expectText(status, 'not independent');
    await expectText(status, '1 documents of the week of 16 November and all 1 documents of the week of 9');
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    for (const [key, verdict] of [
      [await readFile(demo.log.keys.publicKey, 'utf8'), /^Verified ✓ signed log, your key/],
      ['ssh-ed25519 AAAA', /^Not checked/],
      [await readFile(other.publicKey, 'utf8'), /^Not verified/],
    ] as const) {
      await openMenu(page);
      await page.getByRole('textbox', { name: 'Public key (PEM)' }).fill(key);
      await page.getByRole('button', { name: 'Check proof' }).click();
      await expectText(status, verdict);
    }
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('finds a document that was altered on its way', async () => {
    const { page } = await loadPage(browser(), gateway);
    await alter(page, '**/week', '"overallVisibility":', '"overallVisibility":1');
    await enterKey(page, gateway.key);
    await expectText(page.getByRole('status'), /^Not verified/);
    await page.getByRole('status').getByText('Not verified').click();
    await expectText(page.getByRole('status'), 'was published with other bytes');
  });

  test('a brand is chosen by keyboard, arrow keys read its charts with the bands of the weeks before, and back returns', async () => {
    const { page, complaints } = await open();
    await settled(page);
    const link = page.getByRole('table').getByRole('link').last();
    const name = await link.innerText();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name }).waitFor();
    expect(await page.title()).toBe(`${name}, week of 16 November`);
    await page
      .getByRole('heading', { level: 3, name: 'What changed since the week of 9 November' })
      .waitFor();
    await expectText(page.getByRole('status'), /^Verified/);
    await settled(page);
    const chart = page.getByRole('slider', { name: /^Visibility of .* on ChatGPT over time/ });
    await chart.focus();
    for (const day of ['9 November', '2 November']) {
      await page.keyboard.press('ArrowLeft');
      const text = (await chart.getAttribute('aria-valuetext'))!;
      expect(text).toMatch(new RegExp(`^${day}, [\\d.]+ %, drift band [\\d.]+ to [\\d.]+ %`));
      await chart.getByText(text.split(', ').at(1)!, { exact: false }).first().waitFor();
    }
    await page.goBack();
    await page.getByRole('heading', { name: 'All brands' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a prompt shows who is named instead, this week and before, and can be searched and filtered', async () => {
    const { page } = await open();
    await openBrand(page);
    const prompts = page.locator('#prompts button.row');
    const all = await prompts.count();
    const text = await prompts.last().innerText();
    await page.getByRole('searchbox', { name: 'Search' }).fill(text);
    expect(await prompts.filter({ visible: true }).allInnerTexts()).toEqual([text]);
    await expectText(page.locator('#prompt-count'), `1 of ${all} prompts`);
    await prompts.filter({ visible: true }).click();
    const details = page.getByRole('table', { name: `Who is named for “${text}”` });
    await details.getByText('Named the week before').first().waitFor();
    const named = await details.locator('tbody td:nth-child(3)').allInnerTexts();
    expect(named.some((names) => names.includes(','))).toBe(true);
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByRole('button', { name: /^Who is named instead on the \d+ lost results/ }).click();
    await expectText(page.locator('#instead'), /^New this week on \d+ of the \d+ lost results, .*: \S+\s\d+/);
    await page.getByLabel('Show').selectOption('lost');
    const lost = await prompts.filter({ visible: true }).count();
    expect(lost).toBe(await page.locator('#prompts tr:has(.heat:has-text("▼"))').count());
    expect(await faultsOf(page)).toEqual([]);
  });

  test('copies, downloads and saves what is on screen without a request, and no file has the key or a script', async () => {
    const { page, requests } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const name = await openBrand(page);
    await expectText(page.getByRole('status'), /^Verified/);
    const before = requests.length;
    const copy = page.getByRole('button', { name: /^Copy table: Latest scores/ });
    await copy.click();
    await expectText(copy, 'Copied');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const csv = await download(page, /^Download CSV: Latest scores/);
    expect(csv.name).toMatch(/^\S+-week-of-2026-11-16-visibility\.csv$/);
    const [head, first] = csv.text.split('\r\n');
    expect(head).toMatch(/^\ufeffbrand_id,brand_name,/);
    expect(first!.split(',')).toEqual(copied.split(/\r?\n/)[1]!.split('\t'));

    await openMenu(page);
    const saved = await download(page, 'Save as file');
    expect(saved.name).toBe(`${name.toLowerCase().replaceAll(' ', '-')}-week-of-2026-11-16.html`);
    expect(saved.text).not.toContain(gateway.key);
    expect(saved.text).not.toMatch(/<(script|link|img|iframe|button|input)\b|\bsrc=|href="(?!https?:)/);
    expect(requests).toHaveLength(before);
    const context = await browser().newContext({ javaScriptEnabled: false });
    onTestFinished(async () => await context.close());
    const path = join(await temporaryFolder(), 'saved.html');
    await writeFile(path, saved.text);
    const copyOfPage = await context.newPage();
    await copyOfPage.goto(pathToFileURL(path).href);
    await copyOfPage.getByText('Verified ✓ signed log').waitFor();
    expect(await copyOfPage.locator('svg').count()).toBe(await page.locator('svg').count());
  });

  test('shows every brand on one page for print, from six tables whose proof is checked', async () => {
    const { page, requests } = await open();
    await expectText(page.getByRole('status'), /^Verified/);
    const before = requests.length;
    await openMenu(page);
    await page.getByRole('button', { name: 'Every brand on one page' }).click();
    await page.getByRole('link', { name: 'The list of brands' }).waitFor();
    await expectText(page.getByRole('status'), /^Verified/);
    // The page has a title, and each brand.
    expect(await page.locator('main h2').count()).toBe(1 + demoBrands);
    const { text } = await download(page, 'Download CSV: visibility');
    const rows = text.trim().split('\r\n').slice(1);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(demoBrands);
    expect(await page.locator('.chart.scores svg').count()).toBeGreaterThan(demoBrands);
    expect(requests.slice(before).filter((path) => path.includes('/tables/'))).toHaveLength(6);
    expect(requests.length - before).toBe(6);
  });

  test('shows a week by the slider, the address and the way back, and requests each document once', async () => {
    const { page, requests } = await open();
    await expectText(page.getByRole('status'), /^Verified/);
    const slider = page.getByRole('slider', { name: 'Week' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/explore#week=2026-11-09');
    await page.getByText(/compared with the week of 2 November/).waitFor();
    await expectText(page.getByRole('status'), /^Verified/);
    await page.goBack();
    await page.getByText(/compared with the week of 9 November/).waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toBe('week of 16 November');
    await page.getByLabel('Compare with').selectOption('week of 2 November');
    await page.getByText(/compared with the week of 2 November/).waitFor();
    expect(new Set(requests).size).toBe(requests.length);
  });

  test('offers no week that was declared mistaken', async () => {
    const { page } = await loadPage(browser(), gateway);
    await alter(page, '**/snapshots', /("id":"20261109T[^}]*"withdrawn":)null/, '$1"mistaken"');
    await enterKey(page, gateway.key);
    await page.getByText(/compared with the week of 2 November/).waitFor();
    expect(await page.getByText('week of 9 November').count()).toBe(0);
  });

  test('says in words what is wrong with a key, also in the middle, and forgets it', async () => {
    const key = await gateway.createKey(demo.workspaceId);
    const { page } = await loadPage(browser(), gateway);
    const problem = page.getByRole('alert');
    await enterKey(page, `vis_${'0'.repeat(48)}`);
    await expectText(problem, 'The key is not valid');
    await setPlan(gateway.records, demo.workspaceId, 'starter', 1000);
    await enterKey(page, key);
    await expectText(problem, 'does not include the API');
    await setPlan(gateway.records, demo.workspaceId, 'agency', 1000);
    await enterKey(page, `"Bearer ${key}"`);
    await settled(page);
    expect(
      await page.evaluate('[location.href, localStorage.length, sessionStorage.length, document.cookie]'),
    ).toEqual([expect.not.stringContaining('vis_'), 0, 0, '']);
    await openMenu(page);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByRole('button', { name: 'Open' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('');
    await enterKey(page, key);
    await settled(page);
    await gateway.records.revokeKey(key.slice(0, 12));
    await page.getByRole('slider', { name: 'Week' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expectText(problem, 'The key is not valid');
  });

  test('a hostile name is only text, and a long one cuts no column, on screen, on paper and on a phone', async () => {
    const hostile = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&`;
    const longName = hostile + 'VeryLongName'.repeat(12);
    const [first, ...others] = numberedBrands(12);
    const log = await logInMemory(await temporaryFolder());
    const brands = [{ ...first!, name: longName }, ...others];
    for (const asOf of ['2026-11-09T06:00:00.000Z', '2026-11-16T06:00:00.000Z'])
      await publishBrands(log, demo.workspaceId, brands, asOf, { isWhole: true });
    const other = await startExploreGateway({ log, workspaceId: demo.workspaceId });
    onTestFinished(() => other.close());
    const { page } = await openPage(browser(), other);
    /** Nothing sticks out of its box. */
    const expectFit = async (width: number, media: 'print' | 'screen') => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ media });
      const overflow: number = await page.evaluate(
        `Math.max(0, ...[...document.querySelectorAll('html, .table, .card')].map((e) => e.scrollWidth - e.clientWidth))`,
      );
      expect([media, width, overflow]).toEqual([media, width, 0]);
    };
    const A4 = 703; // without its margins
    await settled(page);
    expect(await page.getByRole('rowheader').allInnerTexts()).toContain(longName);
    await expectFit(1280, 'screen');
    await expectFit(A4, 'print');
    expect(await page.title()).toBe('All brands, week of 16 November');
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('table').getByRole('link', { name: longName }).click();
    await page.getByRole('heading', { name: 'Share of voice' }).waitFor();
    await page.locator('#progress:empty').waitFor({ state: 'attached' }); // it has no tables
    await expectFit(390, 'screen');
    await expectFit(A4, 'print');
    expect(await page.title()).toBe(`${longName}, week of 16 November`);
  });

  test('waits visibly, and leaves a tenth of the minute', async () => {
    const other = await startExploreGateway({ ...demo, requestsPerMinute: 7 });
    onTestFinished(() => other.close());
    const { page, remaining } = await openPage(browser(), other);
    await page.getByRole('table').getByRole('link').nth(1).click();
    await page.getByText(/^Waiting \d+ s/).waitFor();
    expect(Math.min(...remaining)).toBeGreaterThanOrEqual(1);
  });
});
