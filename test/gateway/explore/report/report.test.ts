/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDemo } from '../../../../jobs/demo/demo.ts';
import { ingest } from '../../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { reportPage } from '../../../../gateway/explore/report/report.ts';
import { acme, publishBrands } from '../../snapshots.ts';
import { temporaryFolders } from '../../../support/folder.ts';
import { testLog } from '../../../snapshots/publish.ts';
import type { TestLog } from '../../../snapshots/publish.ts';
import { entriesOf } from './entries.ts';
import { publishLargeBrand } from './large-brand.ts';
import { describeWith, pathOf } from '../../../support/requires.ts';

const newFolder = temporaryFolders();

const hostileName = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&\u202e`;
const days = ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'];

let root: string;
let report: string;
let again: string;
let hostile: string;
let large: string;

/** An empty log in a folder of its own. */
async function newLog(): Promise<TestLog> {
  return await testLog(await newFolder());
}

/** Four weeks of two brands after eight weeks of runs, so that there are bands, and a brand with a hostile name. */
beforeAll(async () => {
  root = await newFolder();
  const drop = join(root, 'drop');
  const size = { seed: 3, workspaces: 1, brands: 2, prompts: 3, cycles: 8 } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  const log = await testLog(root);
  const { store, lake, origin, signer } = log;
  await ingest({ from: drop, lake, date: '2026-09-01' }, { clock: { now: () => Date.parse('2026-11-20') } });
  for (const day of days)
    await weekly({ lake, store, origin, signer, asOf: parseInstant(`${day}T23:00:00Z`)! });
  const entries = await entriesOf(log);
  report = await reportPage(store, entries);
  again = await reportPage(store, entries);

  const other = await newLog();
  await publishBrands(other, acme.id, [{ ...acme, name: hostileName }]);
  hostile = await reportPage(other.store, await entriesOf(other));

  const largest = await newLog();
  await publishLargeBrand(largest, acme.id);
  large = await reportPage(largest.store, await entriesOf(largest));
});

describe('a page of the auditor', () => {
  test.each(['report', 'hostile'])('loads nothing and runs nothing: %s', (name) => {
    const page = { report, hostile }[name]!;
    expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-');
    expect(page).not.toMatch(/<(script|link|iframe|object|embed|base|form|img)\b|\bon[a-z]+="|\sstyle="/);
    const loading = page.replaceAll(/<a href="https:[^"]*" rel="noreferrer">/g, '');
    expect(loading.match(/\b(?:href|src|action|xlink:href)="(?!#)[^"]*"/g)).toBeNull();
    expect(page).not.toMatch(/\u202e/);
  });

  test('names engines, prompts and fields in words, without UUIDs of prompts, slugs or JSON pointers', () => {
    const texts = [large, report].map((page) => page.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, '\n'));
    for (const text of texts) {
      // The names of models, such as chatgpt-1, are those of the tracker.
      expect(text).not.toMatch(
        /\/data\/|\b(?:ai_overview|ai_mode|chatgpt(?!-\d)|perEngine|isSignificant|sovPct)\b/,
      );
      expect(text.match(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g)?.length ?? 0).toBeLessThanOrEqual(3);
    }
    expect(texts[0]).toContain('Google AI Overviews');
    expect(texts[0]).toMatch(/visibility › per engine › ChatGPT › score/);
    expect(texts[0]).toContain('negative, 5 not classified');
  });

  test('has the same bytes for the same snapshots', () => {
    expect(again).toBe(report);
  });

  test('shows what changed, and for each brand a chart of each engine and of the share of voice', () => {
    expect(report.match(/<h3>What changed since 2026-11-09<\/h3>/g)).toHaveLength(2);
    // For each brand also a line in the first table, the share of voice, and the gaps of the sources.
    const drawn = report.match(/<title>Visibility of [^<]* in percent/g)!.length + 2 + 2;
    expect(report.match(/<svg role="img"/g)).toHaveLength(drawn + report.match(/<title>Gap of/g)!.length);
    expect(report.match(/<desc>/g)).toHaveLength(report.match(/<svg /g)!.length);
    expect(report).toContain('drift band of');
    expect(report).toMatch(/core<\/span> named in at least 70 % of the cycles/);
    expect(report).toMatch(/<td class="number">\d of 3 prompts<\/td>/);
    expect(report.match(/ mentions in \d+ answers in the last 14 days/g)).toHaveLength(2);
    for (const part of ['Won and lost', 'Visibility', 'Share of voice', 'Core and carousel', 'Sources']) {
      expect(report.match(new RegExp(`<h3>${part}</h3>`, 'g'))).toHaveLength(2);
    }
  });
});

describe('won and lost', () => {
  test('are counted and listed, by the texts of prompts and the names of engines', () => {
    expect(large).toMatch(/One prompt on one engine is one draw/);
    expect(large).toMatch(/named in (\d+) of \1 results, one for each prompt and engine:\s+\1 won\./);
    const row =
      />What is the best waterproof jacket[^<]*, number 0\?<\/bdi><\/th>\s*<td>ChatGPT<\/td>\s*<td>won<\/td>/;
    expect(large).toMatch(row);
  });
});

describeWith(['chromium'], 'a page of the auditor in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: ['--no-sandbox'],
      timeout: 0,
    });
  });
  afterAll(async () => await browser.close());

  async function open(
    html: string,
    options: BrowserContextOptions,
  ): Promise<{ page: Page; complaints: string[] }> {
    const file = join(root, 'page.html');
    await writeFile(file, html);
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(0); // the test's own is the limit
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => {
      if (request.url() !== pathToFileURL(file).href) complaints.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  }

  const looks: [string, BrowserContextOptions][] = [
    ['light', { viewport: { width: 1200, height: 900 } }],
    ['dark', { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' }],
    ['narrow', { viewport: { width: 360, height: 740 } }],
  ];

  test.each(looks)('%s: follows its own policy, fits the screen, and passes axe', async (_, options) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    {
      const { page, complaints } = await open(report, options);
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      await page.evaluate(axe);
      const { faults, passes } = await page.evaluate<{ faults: string[]; passes: number }>(
        'axe.run().then(({ violations, passes }) => ({ passes: passes.length, faults: violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`) }))',
      );
      expect(passes).toBeGreaterThan(15);
      expect({ complaints, isTooWide, faults }).toEqual({ complaints: [], isTooWide: false, faults: [] });
      await page.context().close();
    }
  });

  test('a name with markup is shown as text', async () => {
    const { page } = await open(hostile, {});
    expect(await page.title()).toBe('Brand visibility, 2026-11-16');
    expect(await page.locator('h2').first().textContent()).toBe(hostileName.replace('\u202e', ' '));
    await page.context().close();
  });

  test('prints on at most ten pages for each brand, with numbers on them', async () => {
    for (const [html, brands] of [
      [report, 2],
      [large, 1],
    ] as const) {
      const { page } = await open(html, {});
      await page.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))");
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
      const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)!.length;
      expect(pages).toBeGreaterThanOrEqual(brands);
      expect(pages).toBeLessThanOrEqual(10 * brands);
      await page.context().close();
    }
  });

  test('is dark in dark mode, and every table but the long ones is printed', async () => {
    const background = 'getComputedStyle(document.body).backgroundColor';
    const { page } = await open(report, { colorScheme: 'dark' });
    expect(await page.evaluate(background)).not.toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(background)).toBe('rgb(255, 255, 255)');
    const hidden = `[...document.querySelectorAll('table')].filter((table) => !table.checkVisibility({ contentVisibilityAuto: true })).length`;
    const longOnes = `document.querySelectorAll('.screen table').length`;
    expect(await page.evaluate(hidden)).toBe(await page.evaluate(longOnes));
    await page.context().close();
  });

  test('prints the map of prompts and engines in dark text, with its backgrounds', async () => {
    const { page } = await open(large, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    const styles = `[...document.querySelectorAll('.heat.core, .heat.carousel')].map((cell) => {
      const { color, printColorAdjust } = getComputedStyle(cell);
      return color + ' ' + printColorAdjust;
    })`;
    expect(new Set(await page.evaluate<string[]>(styles))).toEqual(new Set(['rgb(0, 0, 0) exact']));
    await page.context().close();
  });
});
