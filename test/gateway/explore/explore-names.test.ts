import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { encodeDocument } from '../../../lib/documents/encode.ts';
import { brandInWeek } from '../../../lib/methodology/week.ts';
import { WEEK_PATH } from '../../../snapshots/layout.ts';
import { contentOfDocuments, encodeDocuments, encodeList } from '../../snapshots/documents.ts';
import { publishSnapshot, testLog } from '../../snapshots/publish.ts';
import { weekOf } from '../../snapshots/weeks.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { openPage, settled, startExploreGateway, useBrowser } from './browser.ts';

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
    const engine = {
      slug: 'chatgpt' as const,
      date: '2026-01-05',
      isNamed: true,
      position: 1,
      previousDate: null,
      wasNamed: null,
      previousPosition: null,
      change: 'new' as const,
      evidence: [],
    };
    own.results.prompts = [{ promptId: brandId, promptText: long('Which'), engines: [engine] }];
    return { brand: { ...own.visibility.brand, createdAt }, own };
  });
  const brands = encodeList(all.map(({ brand }) => brand));
  const files = all.flatMap(({ brand, own }) => encodeDocuments(brand.id, own));
  const asOf = '2026-01-05T12:00:00.000Z';
  const week = {
    path: WEEK_PATH,
    bytes: encodeDocument('week', { asOf, brands: all.map(({ own }) => brandInWeek(own)) }),
  };
  await publishSnapshot(log, contentOfDocuments(workspaceId, asOf, [brands, week, ...files]));
  return await startExploreGateway({ log, workspaceId });
}

/** How far the widest of some elements sticks out of its box, in pixels. */
async function overflow(page: Page, selector: string): Promise<number> {
  return await page.evaluate(
    `Math.max(0, ...[...document.querySelectorAll('${selector}')].map((e) => e.scrollWidth - e.clientWidth))`,
  );
}

describeWith(['chromium'], '/explore in a browser', () => {
  const browser = useBrowser();

  test('a long name or tag cuts no column, on screen, on paper and on a phone', async () => {
    const { page } = await openPage(browser(), await startGateway(), {
      viewport: { width: 1280, height: 900 },
    });
    await settled(page);
    const fits = async (where: string) =>
      expect([where, await overflow(page, 'html, .table, .card')]).toEqual([where, 0]);
    await fits('screen');
    // A4 without its margins.
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    await fits('paper');
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole('link', { name: long('Acme') })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Share of voice' }).waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).waitFor();
    await settled(page);
    await fits('phone');
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    await fits('a brand on paper');
  });
});
