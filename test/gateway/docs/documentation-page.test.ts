import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { exploreFiles } from '../../../gateway/explore/files.ts';
import { textPages } from '../../../gateway/docs/text-page.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { describeWith } from '../../support/requires.ts';
import { ask } from '../ask.ts';
import { startDescribedGateway } from '../described-gateway.ts';
import { faultsOf, loadPage, useBrowser } from '../explore/browser.ts';
import type { ListeningGateway } from '../gateway.ts';

const wide = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 360, height: 740 }, isMobile: true };
const past = operations.filter(({ path }) => path.startsWith('/api/v1/snapshots/{snapshotId}/brands/'));

/** As PUBLIC_URL. */
const ELSEWHERE = 'http://elsewhere.example';

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  const publicFiles = [...documentationFiles(ELSEWHERE), ...exploreFiles(async () => undefined)];
  gateway = await startDescribedGateway(undefined, {}, { publicFiles });
  ({ base } = gateway);
});
afterAll(() => gateway.close());

/** Every link to this server leads somewhere. Their targets. */
async function expectLinks(page: Page, links: readonly Locator[]): Promise<string[]> {
  const targets = await Promise.all(links.map(async (link) => (await link.getAttribute('href'))!));
  for (const anchor of targets.filter((target) => target.startsWith('#')))
    expect([anchor, await page.locator(`[id="${anchor.slice(1)}"]`).count()]).toEqual([anchor, 1]);
  for (const file of targets.filter((target) => target.startsWith('/')))
    expect([file, (await ask(base, file)).status]).toEqual([file, 200]);
  return targets;
}

describeWith(['chromium'], 'the documentation page in a browser', () => {
  const browser = useBrowser();

  const open = async (options: BrowserContextOptions) => {
    const opened = await loadPage(browser(), gateway, options, '/docs');
    await opened.page.getByRole('heading', { name: 'Versions' }).waitFor();
    return opened;
  };

  test('shows all operations and response headers, in the chosen language, with its own address and links that lead somewhere, and passes axe', async () => {
    const { page, complaints } = await open({ ...wide, colorScheme: 'dark' });
    const headings = await page.getByRole('heading', { level: 3 }).allInnerTexts();
    const apart = operations.filter((operation) => !past.includes(operation));
    expect(headings).toEqual(expect.arrayContaining(apart.map(({ summary }) => summary)));
    expect(await page.getByLabel('Document').locator('option').count()).toBe(past.length);
    await page.getByRole('radio', { name: 'Python' }).first().check();
    // One of the first request, and one for all documents of the past.
    expect(await page.locator('pre[data-language]:visible').count()).toBe(apart.length + 2);
    // A key that a sample sends goes to the address of the page, whatever PUBLIC_URL says.
    const shown = await page.locator('pre[data-language]').allTextContents();
    expect(shown.filter((text) => !text.includes(base))).toEqual([]);
    expect(await page.content()).not.toContain(ELSEWHERE);
    const names = await page.locator('dt code').allInnerTexts();
    for (const header of ['ETag', 'X-RateLimit-Remaining', 'Retry-After', 'X-Request-Id', 'Cache-Control'])
      expect(names.filter((name) => name === header)).toEqual([header]);
    const targets = await expectLinks(page, await page.getByRole('navigation').getByRole('link').all());
    expect(targets).toEqual(expect.arrayContaining(['/openapi.json', '/docs/methodology', '#limits']));
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the texts of docs/ have their headings and tables, lead somewhere, and fit on a phone', async () => {
    const { page, complaints } = await loadPage(browser(), gateway, phone, '/docs/explore');
    for (const name of textPages) {
      await page.goto(`${base}/docs/${name}`);
      const text = await readFile(`docs/${name}.md`, 'utf8');
      const [, title] = /^# (.*)/m.exec(text)!;
      expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual([title]);
      expect(await page.locator('table').count()).toBe(text.match(/^(?:\| -+:? )+\|$/gm)?.length ?? 0);
      expect(await page.locator('main').innerText()).not.toMatch(/<!--|\]\(/);
      await expectLinks(page, await page.locator('a').all());
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    }
    expect(await faultsOf(page)).toEqual([]); // of the last one, which has a table
    expect(complaints).toEqual([]);
  });

  test('sends a first request by keyboard only; the key is only in its field', async () => {
    const { page, complaints } = await open(wide);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(gateway.key);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const output = page.getByRole('status').first();
    await output.getByText('"name": "Rillbay"').waitFor();
    expect(await output.innerText()).toMatch(/^Status 200, \d+ requests left in this minute/);
    // The brand is filled in: the next operation needs one key stroke.
    await page
      .getByRole('button', { name: /brands\/\{brandId\}\/visibility$/ })
      .first()
      .press('Enter');
    await page.getByRole('status').getByText('"overallVisibility": 42').waitFor();
    const kept =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])';
    expect(await page.evaluate(kept)).toBe(JSON.stringify([{}, {}, '', `${base}/docs#content`]));
    await page.reload({ waitUntil: 'networkidle' });
    expect(await page.locator('#key').inputValue()).toBe('');
    expect(complaints).toEqual([]);
  });
});
