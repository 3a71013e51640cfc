import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOfDocuments, encodeDocuments, encodeList } from '../../snapshots/documents.ts';
import { publishSnapshot, testLog } from '../../snapshots/publish.ts';
import { weekOf } from '../../snapshots/weeks.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { describeWith, pathOf } from '../../support/requires.ts';
import { openPage, settled, startExploreGateway } from './browser.ts';

const newFolder = temporaryFolders();
const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c04';
const long = (name: string) => `${name}${'VeryLongName'.repeat(12)}`;

/** A gateway over a week of 30 brands with many rivals; the first brand's name, its rivals' and a tag are long words. */
async function startGateway() {
  const log = await testLog(await newFolder());
  const { documents } = weekOf([{ named: [10, 10, 10], mentions: [5, 5, 5, 5, 5, 5, 5] }]);
  const text = JSON.stringify(documents);
  const all = Array.from({ length: 30 }, (_, index) => {
    const { id } = documents.visibility.brand;
    const brandId = id.slice(0, -2) + String(index + 10);
    const named = text
      .replaceAll(id, brandId)
      .replaceAll('Acme', index === 0 ? long('Acme') : `Acme ${index}`);
    const own = JSON.parse(
      index === 0 ? named.replaceAll('Rival', long('Rival')) : named,
    ) as typeof documents;
    const createdAt = '2026-01-05T00:00:00.000Z';
    own.prompts.prompts = [
      { id: brandId, text: 'Which?', isActive: true, createdAt, namesBrand: false, tags: [long('tag')] },
    ];
    return { brand: { ...own.visibility.brand, createdAt }, own };
  });
  const brands = encodeList(all.map(({ brand }) => brand));
  const files = all.flatMap(({ brand, own }) => encodeDocuments(brand.id, own));
  await publishSnapshot(log, contentOfDocuments(workspaceId, '2026-01-05T12:00:00.000Z', [brands, ...files]));
  return await startExploreGateway({ log, workspaceId });
}

/** How far the widest of some elements sticks out of its box, in pixels. */
async function overflow(page: Page, selector: string): Promise<number> {
  return await page.evaluate(
    `Math.max(0, ...[...document.querySelectorAll('${selector}')].map((e) => e.scrollWidth - e.clientWidth))`,
  );
}

describeWith(['chromium'], '/explore in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: ['--no-sandbox'],
      timeout: 0,
    });
  });
  afterAll(async () => await browser?.close());

  test('a click on a brand shows its top, wherever its link stands', async () => {
    const { page } = await openPage(browser, await startGateway(), {
      viewport: { width: 1280, height: 900 },
    });
    await settled(page);
    await page.getByRole('heading', { name: 'The week in words' }).waitFor();
    await page.getByRole('link', { name: 'Acme 29' }).last().click();
    const heading = page.getByRole('heading', { level: 2, name: 'Acme 29' });
    await heading.waitFor();
    await settled(page);
    const { y } = (await heading.boundingBox())!;
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(900);
  });

  test('a long name or tag cuts no column, on screen, on paper and on a phone', async () => {
    const { page } = await openPage(browser, await startGateway(), {
      viewport: { width: 1280, height: 900 },
    });
    await settled(page);
    await page
      .getByText(/^tied: /)
      .first()
      .waitFor();
    expect(['screen', await overflow(page, '.scroll')]).toEqual(['screen', 0]);
    // A4 without its margins.
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    expect(['paper', await overflow(page, 'html, .scroll')]).toEqual(['paper', 0]);
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 390, height: 844 });
    const { width } = (await page.getByRole('rowheader').first().boundingBox())!;
    expect(width).toBeLessThan(195);
    await page
      .getByRole('link', { name: long('Acme') })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Share of voice' }).waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).waitFor();
    expect(['phone', await overflow(page, 'html')]).toEqual(['phone', 0]);
  });
});
