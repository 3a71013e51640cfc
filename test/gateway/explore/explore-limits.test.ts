import { expect, test } from 'vitest';
import { temporaryFolders } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { testLog } from '../../snapshots/publish.ts';
import { acme, publishBrands } from '../snapshots.ts';
import { expectText, openPage, settled, startExploreGateway, useBrowser } from './browser.ts';

const newFolder = temporaryFolders();
const hostileName = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&`;

const thirty = async (workspaceId: string, requestsPerMinute: number) => {
  const many = await testLog(await newFolder());
  const brands = Array.from({ length: 30 }, (_, index) => ({
    ...acme,
    id: acme.id.slice(0, -2) + String(index + 10),
    name: index === 0 ? hostileName : `Brand ${index}`,
  }));
  for (const asOf of ['2026-11-09T06:00:00.000Z', '2026-11-16T06:00:00.000Z'])
    await publishBrands(many, workspaceId, brands, asOf, { isWhole: true });
  return await startExploreGateway({ workspaceId, requestsPerMinute, log: many, trust: many.trust });
};

describeWith(['chromium'], '/explore in a browser', () => {
  const browser = useBrowser();

  test('shows thirty brands after two requests, the change and the proof after three more, and never waits', async () => {
    const gateway = await thirty('aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c01', 60);
    const { page, requests } = await openPage(browser(), gateway);
    await page.getByRole('table').getByRole('row').nth(30).waitFor();
    expect(await page.getByRole('rowheader').first().innerText()).toBe(hostileName);
    expect(await page.title()).toBe('All brands, week of 16 November');
    await expectText(page.getByRole('status'), /^Verified/);
    expect(requests).toEqual([
      '/api/v1/week',
      '/api/v1/snapshots',
      expect.stringMatching(/^\/api\/v1\/snapshots\/20261109T\S+\/week$/),
      expect.stringMatching(/\/20261116T\S+\/proof$/),
      expect.stringMatching(/\/20261109T\S+\/proof$/),
    ]);
  });

  test('waits visibly, and leaves a tenth of the minute', async () => {
    const gateway = await thirty('aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c04', 7);
    const { page, remaining } = await openPage(browser(), gateway);
    await page.getByRole('table').getByRole('link').nth(1).click();
    await page.getByText(/^Waiting \d+ s/).waitFor();
    expect(Math.min(...remaining)).toBeGreaterThanOrEqual(1);
  });

  test('offers 104 weeks on the slider', async () => {
    const long = await testLog(await newFolder());
    const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c02';
    const first = Date.parse('2024-11-25T06:00:00Z');
    for (let week = 0; week < 104; week += 1) {
      await publishBrands(long, workspaceId, [acme], new Date(first + week * 7 * 86_400_000).toISOString(), {
        isWhole: true,
      });
    }
    const { page } = await openPage(browser(), await startExploreGateway({ workspaceId, log: long }));
    await settled(page);
    const slider = page.getByRole('slider', { name: 'Week' });
    expect(await slider.getAttribute('max')).toBe('103');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('week of 25 November 2024', { exact: true }).first().waitFor();
    await settled(page);
  });

  test('says that nothing was published yet', async () => {
    const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c03';
    const log = await testLog(await newFolder());
    const { page } = await openPage(browser(), await startExploreGateway({ workspaceId, log }));
    await expectText(page.getByRole('main'), 'it is warming up');
  });
});
