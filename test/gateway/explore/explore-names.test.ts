import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { temporaryFolders } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { testLog } from '../../snapshots/publish.ts';
import { acme, publishBrands } from '../snapshots.ts';
import { expectText, openPage, settled, startExploreGateway, useBrowser } from './browser.ts';

const newFolder = temporaryFolders();
const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c01';
const hostileName = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&`;
const longName = hostileName + 'VeryLongName'.repeat(12);

async function startGatewayOfThirty(requestsPerMinute: number) {
  const log = await testLog(await newFolder());
  const brands = Array.from({ length: 30 }, (_, index) => ({
    ...acme,
    id: acme.id.slice(0, -2) + String(index + 10),
    name: index === 0 ? longName : `Brand ${index}`,
  }));
  for (const asOf of ['2026-11-09T06:00:00.000Z', '2026-11-16T06:00:00.000Z'])
    await publishBrands(log, workspaceId, brands, asOf, { isWhole: true });
  return await startExploreGateway({ workspaceId, requestsPerMinute, log, trust: log.trust });
}

/** Nothing sticks out of its box. */
async function expectFit(page: Page, where: string): Promise<void> {
  const overflow: number = await page.evaluate(
    `Math.max(0, ...[...document.querySelectorAll('html, .table, .card')].map((e) => e.scrollWidth - e.clientWidth))`,
  );
  expect([where, overflow]).toEqual([where, 0]);
}

describeWith(['chromium'], '/explore in a browser', () => {
  const browser = useBrowser();

  test('a hostile name is only text, and a long one cuts no column, on screen, on paper and on a phone', async () => {
    const gateway = await startGatewayOfThirty(60);
    const { page } = await openPage(browser(), gateway, { viewport: { width: 1280, height: 900 } });
    await page.getByRole('table').getByRole('row').nth(30).waitFor();
    expect(await page.getByRole('rowheader').first().innerText()).toBe(longName);
    await expectText(page.getByRole('status'), /^Verified/);
    await settled(page);
    await expectFit(page, 'screen');
    // A4 without its margins.
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    await expectFit(page, 'paper');
    expect(await page.title()).toBe('All brands, week of 16 November');
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Share of voice' }).waitFor();
    await page.locator('#progress:empty').waitFor({ state: 'attached' }); // it has no tables
    await expectFit(page, 'phone');
    await page.setViewportSize({ width: 703, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    await expectFit(page, 'a brand on paper');
    expect(await page.title()).toBe(`${longName}, week of 16 November`);
  });

  test('waits visibly, and leaves a tenth of the minute', async () => {
    const { page, remaining } = await openPage(browser(), await startGatewayOfThirty(7));
    await page.getByRole('table').getByRole('link').nth(1).click();
    await page.getByText(/^Waiting \d+ s/).waitFor();
    expect(Math.min(...remaining)).toBeGreaterThanOrEqual(1);
  });

  test('says that nothing was published yet', async () => {
    const log = await testLog(await newFolder());
    const { page } = await openPage(browser(), await startExploreGateway({ workspaceId, log }));
    await expectText(page.getByRole('main'), 'it is warming up');
  });
});
