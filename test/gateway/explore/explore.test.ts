import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { logInMemory, workspaceId } from '../gateway.ts';
import { numberedBrands, publishBrands } from '../snapshots.ts';
import { faultsOf, openPage, settled, useBrowser } from './browser.ts';
import { publishDemoWeeks, startExploreGateway } from './demo.ts';

test('the bundle that is served was made from the sources', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { explore: string } };
  const made = join(await temporaryFolder(), 'page.js');
  await promisify(exec)(scripts.explore.replace('gateway/explore/page.js', made), {
    env: { ...process.env, PATH: `node_modules/.bin:${process.env['PATH']}` },
  });
  const served = await readFile('gateway/explore/page.js', 'utf8');
  expect(served === (await readFile(made, 'utf8')), 'run npm run explore').toBe(true);
});

// The golden walks (walks.test.ts) show what the page says. These show what only a browser does.
describeWith(['chromium'], '/explore in a browser', () => {
  const browser = useBrowser();

  test('a brand is chosen and read by keyboard, copied and saved, without a fault of the policy or of access', async () => {
    const gateway = await startExploreGateway(await publishDemoWeeks(await temporaryFolder()));
    onTestFinished(() => gateway.close());
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, complaints } = await openPage(browser(), gateway, { colorScheme: 'dark', permissions });
    await page.getByRole('status').getByText('Verified').click();
    await page.getByText('not independent').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await settled(page);
    const link = page.getByRole('table').getByRole('link').last();
    const name = await link.innerText();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name }).waitFor();
    await page.getByRole('status').getByText('Verified').waitFor();
    await settled(page);
    expect(await faultsOf(page)).toEqual([]);
    const chart = page.getByRole('slider', { name: /^Visibility of .* on ChatGPT over time/ });
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await chart.getByText('9 November').first().waitFor();

    const copy = page.getByRole('button', { name: /^Copy table: Latest scores/ });
    await copy.click();
    await copy.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(/^brand_id\t/);
    await page.getByText('Menu', { exact: true }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as file' }).click();
    const path = join(await temporaryFolder(), (await downloading).suggestedFilename());
    await (await downloading).saveAs(path);
    const saved = await readFile(path, 'utf8');
    expect(saved).not.toContain(gateway.key);
    expect(saved).not.toMatch(/<(script|link|img|iframe|button|input)\b|\bsrc=|href="(?!https?:)/);
    const context = await browser().newContext({ javaScriptEnabled: false });
    onTestFinished(async () => await context.close());
    const copyOfPage = await context.newPage();
    await copyOfPage.goto(pathToFileURL(path).href);
    await copyOfPage.getByText('Verified ✓ signed log').waitFor();
    expect(await copyOfPage.locator('svg').count()).toBe(await page.locator('svg').count());

    await page.goBack();
    await page.getByRole('heading', { name: 'All brands' }).waitFor();
    expect(
      await page.evaluate('[location.href, localStorage.length, sessionStorage.length, document.cookie]'),
    ).toEqual([expect.not.stringContaining('vis_'), 0, 0, '']);
    expect(complaints).toEqual([]);
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByRole('button', { name: 'Open' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('');
  });

  test('a hostile name is only text, and a long one cuts no column, on screen, on paper and on a phone', async () => {
    const hostile = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&`;
    const longName = hostile + 'VeryLongName'.repeat(12);
    const [first, ...others] = numberedBrands(12);
    const log = await logInMemory(await temporaryFolder());
    const brands = [{ ...first!, name: longName }, ...others];
    for (const asOf of ['2026-11-23T06:00:00.000Z', '2026-11-30T06:00:00.000Z'])
      await publishBrands(log, workspaceId, brands, asOf, { isWhole: true });
    const gateway = await startExploreGateway({ log, workspaceId });
    onTestFinished(() => gateway.close());
    const { page } = await openPage(browser(), gateway);
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
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('table').getByRole('link', { name: longName }).click();
    await page.getByRole('heading', { name: 'Share of voice' }).waitFor();
    await page.locator('#progress:empty').waitFor({ state: 'attached' }); // it has no tables
    await expectFit(390, 'screen');
    await expectFit(A4, 'print');
    expect(await page.title()).toBe(`${longName}, week of 30 November`);
  });
});
