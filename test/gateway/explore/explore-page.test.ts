import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions } from 'playwright-core';
import { expect, test } from 'vitest';
import { storedForm } from '../../../gateway/records/keys.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { withdraw } from '../../adapters/publish.ts';
import { describeWith } from '../../support/requires.ts';
import { setPlan } from '../gateway.ts';
import { expectText, faultsOf, settled } from './browser.ts';
import { demoBrands, openBrand, useDemo } from './demo.ts';

const workspaceName = 'Halden & Moor';

describeWith(['chromium'], '/explore in a browser', () => {
  const demo = useDemo();

  test('shows the week of every brand after two requests, sorts it and checks its proof by itself', async () => {
    const { page, requests, complaints } = await demo.open();
    await expectText(page.getByRole('status'), /^Verified ✓ signed log/);
    expect(requests.slice(0, 3)).toEqual([
      '/api/v1/week',
      '/api/v1/snapshots',
      expect.stringMatching(/^\/api\/v1\/snapshots\/20261109T\S+\/week$/),
    ]);
    expect(requests.slice(3).every((path) => path.endsWith('/proof'))).toBe(true);
    expect(requests).toHaveLength(5);
    expect(await page.getByRole('row').count()).toBe(1 + demoBrands);
    const visibilities = async () => {
      const cells = await page.getByRole('row').locator('td:nth-child(3)').allInnerTexts();
      return cells.map((text) => Number.parseFloat(text));
    };
    const unsorted = await visibilities();
    await page.getByRole('button', { name: 'Visibility, %' }).click();
    expect(await visibilities()).toEqual(unsorted.toSorted((a, b) => a - b));
    await page.getByRole('button', { name: 'Visibility, %' }).click();
    expect(await visibilities()).toEqual(unsorted.toSorted((a, b) => b - a));
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(workspaceName);
    expect(complaints).toEqual([]);
  });

  test('shows the top of a brand that is chosen by keyboard, and back returns to the place', async () => {
    const { page, complaints } = await demo.open({ viewport: { width: 900, height: 300 } });
    await settled(page);
    const link = page.getByRole('table').getByRole('link').last();
    const name = await link.innerText();
    await link.focus();
    const place = await page.evaluate('scrollY');
    expect(place).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 2, name });
    await heading.waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(await page.title()).toBe(`${name}, week of 16 November`);
    await settled(page);
    await page.goBack();
    await page.getByRole('heading', { name: 'All brands' }).waitFor();
    await expect.poll(async () => await page.evaluate('scrollY')).toBe(place);
    expect(complaints).toEqual([]);
  });

  test('a brand has its numbers in charts that the arrow keys read, and the bands of the weeks before', async () => {
    const { page, complaints } = await demo.open();
    await openBrand(page);
    for (const heading of [
      'What changed since the week of 9 November',
      'Visibility',
      'Share of voice',
      'Prompts',
      'Sources',
    ])
      await page.getByRole('heading', { level: 3, name: heading, exact: true }).waitFor();
    await expectText(page.getByRole('status'), /^Verified/);
    const chart = page.getByRole('slider', { name: /^Visibility of .* on ChatGPT over time/ });
    await chart.focus();
    for (const day of ['9 November', '2 November']) {
      await page.keyboard.press('ArrowLeft');
      const text = (await chart.getAttribute('aria-valuetext'))!;
      expect(text).toMatch(new RegExp(`^${day}, [\\d.]+ %, drift band [\\d.]+ to [\\d.]+ %`));
      await chart.getByText(text.split(', ').at(1)!, { exact: false }).first().waitFor();
    }
    expect(complaints).toEqual([]);
  });

  test('a prompt shows who is named instead, this week and before, and can be searched and filtered', async () => {
    const { page } = await demo.open();
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
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download CSV: Who is named/ }).click();
    const file = await readFile(await (await downloading).path(), 'utf8');
    expect(file).toMatch(/^\ufeffprompt_id,prompt_text,engine,date,name,is_named,was_named\r\n/);
    const shown = named
      .filter((names) => !/^(?:–|nobody)$/.test(names))
      .flatMap((names) => names.split(', '));
    expect(file.match(/,true,(?:true|false)?\r$/gm)).toHaveLength(shown.length);
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByRole('button', { name: /^Who is named instead on the \d+ lost results/ }).click();
    await expectText(page.locator('#instead'), /^New this week on \d+ of the \d+ lost results, .*: \S+\s\d+/);
    await page.getByLabel('Show').selectOption('lost');
    const lost = await prompts.filter({ visible: true }).count();
    expect(lost).toBe(await page.locator('#prompts tr:has(.heat:has-text("▼"))').count());
  });

  test('copies and downloads the exact values of a table without a request', async () => {
    const { page, requests } = await demo.open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await openBrand(page);
    await expectText(page.getByRole('status'), /^Verified/);
    const before = requests.length;
    for (const [caption, table] of [
      ['Latest scores', 'visibility'],
      ['.* and its rivals over time', 'timeline'],
    ]) {
      const copy = page.getByRole('button', { name: new RegExp(`^Copy table: ${caption}`) });
      await copy.click();
      await expectText(copy, 'Copied');
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: new RegExp(`^Download CSV: ${caption}`) }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(new RegExp(`^\\S+-week-of-2026-11-16-${table}\\.csv$`));
      const [head, first] = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(head).toMatch(/^\ufeffbrand_id,brand_name,/);
      expect(first!.split(',')).toEqual(copied.split(/\r?\n/)[1]!.split('\t'));
    }
    expect(requests).toHaveLength(before);
  });

  test('shows a week by the slider, the address and the way back, and requests each document once', async () => {
    const { page, requests } = await demo.open();
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
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByText('week of 16 November', { exact: true }).first().isVisible()).toBe(true);
    expect(new Set(requests).size).toBe(requests.length);
  });

  const looks: [string, BrowserContextOptions][] = [
    ['wide and dark', { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' }],
    ['narrow and light', { viewport: { width: 390, height: 844 } }],
  ];

  test.each(looks)('%s: fits the screen and passes axe, at a glance and for a brand', async (_, options) => {
    const { page } = await demo.open(options);
    await settled(page);
    for (const step of ['glance', 'brand']) {
      expect([step, await faultsOf(page)]).toEqual([step, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      if (step === 'glance') {
        await page.keyboard.press('Escape');
        await openBrand(page);
        await page.locator('#prompts button.row').first().click();
        await page.locator('tr.details table').waitFor();
      }
    }
  });

  test('says in words what is wrong with a key, also in the middle', async () => {
    const { gateway, page } = await demo.load();
    const problem = page.getByRole('alert');
    const enter = async (key: string) => {
      await page.getByRole('textbox', { name: 'API key' }).fill(key);
      await page.getByRole('button', { name: 'Open' }).click();
    };
    await enter('a key');
    await expectText(problem, 'A key has no blanks: paste only the part that starts with vis_.');
    await enter(`vis_${'0'.repeat(48)}`);
    await expectText(problem, 'The key is not valid');
    await setPlan(gateway.records, demo.workspaceId, 'starter', 1000);
    await enter(gateway.key);
    await expectText(problem, 'does not include the API');
    await setPlan(gateway.records, demo.workspaceId, 'agency', 1000);
    await enter(`"Bearer ${gateway.key}"`);
    await settled(page);
    await gateway.records.revokeKey(storedForm(gateway.key).prefix);
    await page.getByRole('slider', { name: 'Week' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expectText(problem, 'The key is not valid');
  });

  test('offers one snapshot for each week, and none that was declared mistaken', async () => {
    const { log, workspaceId } = demo;
    const { publications } = (await readHistory(log.store, (await readLog(log.store, log))!, workspaceId))!;
    const { snapshotId } = publications[1]!;
    await withdraw(log, workspaceId, [{ snapshotId, reason: 'mistaken' }]);
    const { page } = await demo.open();
    await settled(page);
    await page.getByRole('slider', { name: 'Week' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/explore#week=2026-11-02');
    expect(await page.getByText('week of 9 November').count()).toBe(0);
  });
});
