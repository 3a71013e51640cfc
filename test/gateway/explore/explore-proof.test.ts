import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { makeTestKeys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { expectText, faultsOf } from './browser.ts';
import { demoBrands, openBrand, useDemo } from './demo.ts';

describeWith(['chromium'], '/explore in a browser', () => {
  const demo = useDemo();

  test('verifies what is on screen, with a pasted key too, and refuses another key', async () => {
    const { page } = await demo.open();
    const check = page.getByRole('button', { name: 'Check proof' });
    const status = page.getByRole('status');
    await expectText(status, /^Verified ✓ signed log/);
    await status.getByText('Verified').click();
    for (const text of [
      'not independent',
      'does not show that the measurements are right',
      'each document has the SHA-256',
    ])
      expect(await status.innerText()).toContain(text);
    expect(await status.innerText()).toContain(
      '1 documents of the week of 16 November and all 1 documents of the week of 9 November',
    );
    await page.getByText('Menu', { exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Public key (PEM)' });
    const use = async (key: string) => {
      await field.fill(key);
      await check.click();
    };
    await use(await readFile(demo.log.keys.publicKey, 'utf8'));
    await expectText(status, /^Verified ✓ signed log, your key/);
    await page.getByText('Menu', { exact: true }).click();
    await use('ssh-ed25519 AAAA');
    await expectText(status, /^Not checked/);
    await page.getByText('Menu', { exact: true }).click();
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    await use(await readFile(other.publicKey, 'utf8'));
    await expectText(status, /^Not verified/);
  });

  test('finds a document that was altered on its way', async () => {
    const { gateway, page } = await demo.load();
    await page.route('**/week', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace('"overallVisibility":', '"overallVisibility":1') });
    });
    await page.getByRole('textbox', { name: 'API key' }).fill(gateway.key);
    await page.getByRole('button', { name: 'Open' }).click();
    await expectText(page.getByRole('status'), /^Not verified/);
    await page.getByRole('status').getByText('Not verified').click();
    await expectText(page.getByRole('status'), 'was published with other bytes');
  });

  test('saves a brand and the verdict as one file that needs no network or script and has no key', async () => {
    const { gateway, page } = await demo.open();
    const name = await openBrand(page);
    await expectText(page.getByRole('status'), /^Verified/);
    await page.getByText('Menu', { exact: true }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as file' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(
      `${name.toLowerCase().replaceAll(' ', '-')}-week-of-2026-11-16.html`,
    );
    const file = await readFile(await download.path(), 'utf8');
    expect(file).not.toContain(gateway.key);
    expect(file).not.toMatch(/<(script|link|img|iframe|button|input)\b|\bsrc=|href="(?!https?:)/);
    expect(
      await page.evaluate('[location.pathname, localStorage.length, sessionStorage.length, document.cookie]'),
    ).toEqual(['/explore', 0, 0, '']);
    const drawn = await page.locator('svg').count();
    const saved = await (await demo.browser().newContext({ javaScriptEnabled: false })).newPage();
    onTestFinished(async () => await saved.context().close());
    const complaints: string[] = [];
    saved.on('console', (message) => complaints.push(message.text()));
    const path = join(await temporaryFolder(), 'saved.html');
    await writeFile(path, file);
    await saved.goto(pathToFileURL(path).href);
    await saved.getByText('Verified ✓ signed log').waitFor();
    expect(await saved.locator('svg').count()).toBe(drawn);
    expect(complaints).toEqual([]);
  });

  test('shows every brand on one page, for print and for one file, from six tables whose proof is checked', async () => {
    const { page, requests, complaints } = await demo.open();
    await expectText(page.getByRole('status'), /^Verified/);
    const before = requests.length;
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('button', { name: 'Every brand on one page' }).click();
    await page.getByRole('link', { name: 'The list of brands' }).waitFor();
    await expectText(page.getByRole('status'), /^Verified/);
    // The page has a title, and each brand.
    expect(await page.locator('main h2').count()).toBe(1 + demoBrands);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV: visibility' }).click();
    const rows = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n');
    expect(new Set(rows.slice(1).map((row) => row.split(',')[0])).size).toBe(demoBrands);
    expect(await page.locator('.chart.scores svg').count()).toBeGreaterThan(demoBrands);
    expect(requests.slice(before).filter((path) => path.includes('/tables/'))).toHaveLength(6);
    expect(requests.length - before).toBe(6);
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
