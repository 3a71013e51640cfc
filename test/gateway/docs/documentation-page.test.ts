import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { describeWith, pathOf } from '../../support/requires.ts';
import { ask } from '../ask.ts';
import { startDescribedGateway } from '../described-gateway.ts';
import { startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { openDocumentation } from './browser.ts';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const wide = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 360, height: 740 }, isMobile: true };
const past = operations.filter(({ path }) => path.startsWith('/api/v1/snapshots/{snapshotId}/brands/'));

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  gateway = await startDescribedGateway();
  ({ base } = gateway);
});
afterAll(() => gateway.close());

describeWith(['chromium'], 'the documentation page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: ['--no-sandbox'],
      timeout: 0,
    });
  });
  afterAll(() => browser?.close());

  const open = async (options: BrowserContextOptions, hash = '', at = base) =>
    await openDocumentation(browser, `${at}/docs${hash}`, options);

  test('shows all operations, sends no requests to other servers, and is small', async () => {
    const { page, wrong, bytes } = await open(wide);
    const headings = await page.getByRole('heading', { level: 3 }).allInnerTexts();
    const apart = operations.filter((operation) => !past.includes(operation));
    expect(headings).toEqual(expect.arrayContaining(apart.map(({ summary }) => summary)));
    const documents = await page.getByLabel('Document').locator('option').all();
    const paths = documents.map(async (option) => await option.getAttribute('value'));
    expect(await Promise.all(paths)).toEqual(past.map(({ path }) => path));
    const groups = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(groups).toEqual(
      expect.arrayContaining(['Brands', 'Measurements', 'History', 'Read a week again and prove it']),
    );
    expect(wrong).toEqual([]);
    expect(await bytes()).toBeGreaterThan(1000);
    expect(await bytes()).toBeLessThan(120_000);
  });

  test('shows the request in all three languages, and keeps the choice for every request', async () => {
    const { page } = await open(wide);
    for (const menu of await page.getByRole('group', { name: 'The request in' }).all()) {
      const labels = (await menu.getByRole('radio').all()).map(async (radio) => await radio.inputValue());
      expect(await Promise.all(labels)).toEqual(['curl', 'TypeScript', 'Python']);
    }
    await page.getByRole('radio', { name: 'TypeScript' }).first().check();
    const shown = await page.locator('pre[data-language]:visible').allInnerTexts();
    // One of the first request, and one for all documents of the past.
    expect(shown).toHaveLength(operations.length - past.length + 2);
    for (const source of shown) expect(source).toContain(`await fetch(\`${base}/api/v1/`);
  });

  test('names its own address in the samples, so that a key is sent nowhere else', async () => {
    const publicFiles = documentationFiles('http://elsewhere.example');
    const other = await startListeningGateway(undefined, { publicFiles });
    onTestFinished(() => other.close());
    const { page } = await open(wide, '', other.base);
    const samples = await page.locator('pre[data-language]').allTextContents();
    expect(samples.length).toBeGreaterThan(operations.length - past.length);
    for (const sample of samples) expect(sample).toContain(other.base);
    expect(await page.content()).not.toContain('elsewhere.example');
  });

  test('names the fields in the order of the responses, and each response header once', async () => {
    const { page } = await open(wide);
    const names = await page.locator('dt code').allInnerTexts();
    const from = names.indexOf('data.overallVisibility');
    expect(names.slice(from, from + 4)).toEqual([
      'data.overallVisibility',
      'data.perEngine',
      'data.perEngine[].slug',
      'data.perEngine[].isWebGrounded',
    ]);
    expect(names).toContain('data.trend.{slug}[].score');
    expect(names).toContain('data.prompts[].engines[].core[].entity');
    for (const header of ['ETag', 'X-RateLimit-Remaining', 'Retry-After', 'X-Request-Id', 'Cache-Control'])
      expect(names.filter((name) => name === header)).toEqual([header]);
    expect(await page.locator('dd', { hasText: /^$/ }).count()).toBe(0);
  });

  test('links the OpenAPI file, the methodology and the limits', async () => {
    const { page } = await open(wide);
    const links = page.getByRole('navigation').getByRole('link');
    const targets = await Promise.all(
      (await links.all()).map(async (link) => await link.getAttribute('href')),
    );
    expect(targets).toEqual(expect.arrayContaining(['/openapi.json', '/docs/methodology.md', '#limits']));
    const anchors = targets.filter((target) => target!.startsWith('#'));
    expect(anchors.length).toBeGreaterThan(operations.length - past.length);
    for (const anchor of anchors) expect(await page.locator(anchor!).count()).toBe(1);
    for (const file of ['/openapi.json', '/docs/methodology.md'])
      expect((await ask(base, file)).status).toBe(200);
  });

  test('sends a first request by keyboard only; the key is only in its field', async () => {
    const { page, wrong } = await open(wide);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type(gateway.key);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const output = page.getByRole('status').first();
    await output.getByText('"name": "Fjordfield"').waitFor();
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
    expect(wrong).toEqual([]);
  });

  test('reads a week again: the list of snapshots fills in the rest', async () => {
    const { page, wrong } = await open(wide);
    await page.getByLabel('API key').fill(gateway.key);
    await page.getByRole('button', { name: 'Send GET /api/v1/snapshots', exact: true }).press('Enter');
    await page.getByRole('status').getByText('"isCurrent": true').waitFor();
    await page.getByRole('button', { name: /snapshots\/\{snapshotId\}\/proof$/ }).press('Enter');
    await page.getByRole('status').getByText('"inclusionProof": "c2sp.org/tlog-proof@v1').waitFor();
    const command = page.getByRole('region', { name: 'How to prove a week' });
    await command.getByText('sightline-client verify').waitFor();
    await page.getByRole('button', { name: 'Send GET /api/v1/brands', exact: true }).first().press('Enter');
    await page.getByRole('status').getByText('"name": "Fjordfield"').waitFor();
    // The ids are in the fields, and in the examples too.
    await page.getByLabel('Document').selectOption('stability');
    const example = page.getByRole('region', { name: 'Visibility of a snapshot in curl' });
    const [, snapshotId] = /^SNAPSHOT_ID='(\w{15}\.\w+-\w{16})'$/m.exec(await example.innerText())!;
    expect(await example.innerText()).toMatch(/^BRAND_ID='[0-9a-f-]{36}'$/m);
    expect(await example.innerText()).toContain('/snapshots/$SNAPSHOT_ID/brands/$BRAND_ID/stability"');
    await page
      .getByRole('button', { name: /\{brandId\}\/stability$/ })
      .last()
      .press('Enter');
    await page.getByRole('region', { name: `Response of /api/v1/snapshots/${snapshotId}/brands/` }).waitFor();
    expect(wrong).toEqual([]);
  });

  test('copies the example in the chosen language', async () => {
    const { page } = await open({ ...wide, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('radio', { name: 'Python' }).first().check();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toContain(`    "${base}/api/v1/brands",`);
  });

  test('folds its menu on a phone, where the first screen has the key', async () => {
    const { page } = await open(phone);
    const link = page.getByRole('link', { name: 'Your first request' });
    expect(await link.isVisible()).toBe(false);
    const box = await page.getByLabel('API key').boundingBox();
    expect(box!.y).toBeLessThan(phone.viewport.height);
    await page.getByText('Contents').click();
    expect(await link.isVisible()).toBe(true);
    await page.setViewportSize(wide.viewport);
    await page.getByText('Contents').waitFor({ state: 'hidden' });
    expect(await link.isVisible()).toBe(true);
  });

  test('shows the error for a wrong key', async () => {
    const { page } = await open(wide);
    await page.getByLabel('API key').fill('vis_no');
    await page.getByLabel('API key').press('Tab');
    await page.keyboard.press('Enter');
    const code = page.getByRole('status').first().getByText('"code": "invalid_key"');
    await code.waitFor();
    expect(await code.count()).toBe(1);
  });

  test('opens at the operation in the fragment of the URL', async () => {
    const { page } = await open(wide, '#getSources');
    const top = "Math.abs(document.getElementById('getSources').getBoundingClientRect().top)";
    await page.waitForFunction(`${top} < 200`);
    expect(await page.evaluate(top)).toBeLessThan(200);
  });

  test.each([
    ['light', wide],
    ['dark', { ...wide, colorScheme: 'dark' as const }],
    ['a phone', phone],
    ['a dark phone', { ...phone, colorScheme: 'dark' as const }],
  ])('has no accessibility violation: %s', async (_what, options) => {
    const { page } = await open(options);
    await page.getByLabel('API key').fill(gateway.key);
    await page.getByRole('button').first().click();
    await page.getByRole('status').getByText('Fjordfield').first().waitFor();
    await page.evaluate(readFileSync(axePath, 'utf8'));
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: object[] }[] }>(
      'axe.run(document, { resultTypes: ["violations"] })',
    );
    expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3)])).toEqual([]);
  });

  test.each([
    ['a phone', phone],
    ['a wide screen', { viewport: { width: 1600, height: 900 } }],
  ])('fits on %s, without scrolling sideways', async (_what, options) => {
    const { page, wrong } = await open(options);
    const { scroll, width } = await page.evaluate<{ scroll: number; width: number }>(
      '({ scroll: document.documentElement.scrollWidth, width: innerWidth })',
    );
    expect(scroll).toBeLessThanOrEqual(width);
    expect(wrong).toEqual([]);
  });

  test.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(20, 22, 26)'],
  ] as const)('is %s if the browser prefers that', async (colorScheme, colour) => {
    const { page } = await open({ ...wide, colorScheme });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(colour);
  });
});
