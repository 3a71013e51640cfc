import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedForm } from '../../../gateway/records/keys.ts';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { withdraw } from '../../adapters/publish.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { describeWith, pathOf } from '../../support/requires.ts';
import { setPlan } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { expectText, faultsOf, loadPage, openPage, settled, startExploreGateway } from './browser.ts';

const newFolder = temporaryFolders();
const days = ['2026-11-02', '2026-11-09', '2026-11-16'];

let otherKey: string;
let log: TestLog;
let demoWorkspace: string;
let demoBrands: number;

/** Three signed weeks of a demo workspace after eight weeks of runs, so that there are bands. */
beforeAll(async () => {
  const root = await newFolder();
  log = await testLog(root);
  otherKey = await readFile((await makeTestKeys(root, 'other')).publicKey, 'utf8');
  const drop = join(root, 'drop');
  demoBrands = 3;
  const size = {
    seed: 3,
    workspaces: 1,
    brands: demoBrands,
    prompts: 6,
    cycles: 8,
  } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  const { lake, store, origin, signer } = log;
  await ingest({ from: drop, lake, date: '2026-09-01' }, { clock: { now: () => Date.parse('2026-11-20') } });
  for (const day of days) {
    await weekly({ lake, store, origin, signer, asOf: parseInstant(`${day}T23:00:00Z`)! });
  }
  [demoWorkspace] = [...(await readLog(store, log))!.heads.keys()] as [string];
});

/** A gateway over the demo's store, with a key of its workspace. */
const startGateway = async () =>
  await startExploreGateway({ log, workspaceId: demoWorkspace, trust: log.trust });

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

  const load = async (gateway: ListeningGateway, options?: BrowserContextOptions) =>
    await loadPage(browser, gateway, options);
  const open = async (gateway: ListeningGateway, options?: BrowserContextOptions) =>
    await openPage(browser, gateway, options);

  test('shows the week of every brand with one request, and the list of weeks and the week before with another each', async () => {
    const gateway = await startGateway();
    const { page, requests, complaints } = await open(gateway);
    await settled(page);
    expect(requests).toEqual([
      '/api/v1/week',
      '/api/v1/snapshots',
      expect.stringMatching(/^\/api\/v1\/snapshots\/20261109T\S+\/week$/),
    ]);
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.count()).toBe(1 + demoBrands);
    await page.getByRole('heading', { name: 'The week in words' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows a brand with six documents, by keyboard, and what moved since the week before', async () => {
    const gateway = await startGateway();
    const { page, requests, complaints } = await open(gateway);
    await settled(page);
    const before = requests.length;
    const link = page.getByRole('table').getByRole('link').first();
    const name = await link.innerText();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name }).waitFor();
    await settled(page);
    expect(requests.length - before).toBeLessThanOrEqual(6);
    for (const heading of ['Visibility', 'Share of voice', 'Core and carousel', 'Won and lost', 'Sources'])
      await page.getByRole('heading', { level: 3, name: heading }).waitFor();
    await page.getByRole('checkbox', { name: 'Compare with the week before' }).check();
    await page.getByRole('heading', { name: 'What changed since 2026-11-09' }).waitFor();
    await page.getByRole('button', { name: 'Check proof' }).click();
    await expectText(
      page.getByRole('status'),
      /^Verified: all 7 documents as of 2026-11-16 and all 4 documents as of 2026-11-09 on screen/,
    );
    await page.getByRole('link', { name: 'All brands' }).click();
    await page.getByRole('heading', { name: 'The week in words' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows past weeks by the slider, and requests each document once', async () => {
    const gateway = await startGateway();
    const { page, requests } = await open(gateway);
    await settled(page);
    const slider = page.getByRole('slider', { name: 'Week' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('as of 2026-11-09', { exact: true }).waitFor();
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await page.getByText('as of 2026-11-16', { exact: true }).waitFor();
    await settled(page);
    expect(await slider.getAttribute('aria-valuetext')).toBe('as of 2026-11-16');
    const heading = page.getByRole('heading', { level: 1 });
    expect(await heading.innerText()).toBe('Brand visibility');
    await page.emulateMedia({ media: 'print' });
    expect(await heading.innerText()).toBe('Brand visibility, as of 2026-11-16');
    expect(new Set(requests).size).toBe(requests.length);
  });

  test('verifies what is on screen, with a pasted key too, and refuses another key', async () => {
    const gateway = await startGateway();
    const { page } = await open(gateway);
    await settled(page);
    const check = page.getByRole('button', { name: 'Check proof' });
    const status = page.getByRole('status');
    await check.click();
    await expectText(status, /^Verified/);
    expect(await status.innerText()).toContain('not independent');
    expect(await status.innerText()).toContain('does not show that the measurements are right');
    expect(await status.innerText()).not.toContain('SHA-256');
    await status.getByText('What was checked').click();
    expect(await status.innerText()).toContain('each document has the SHA-256');
    await page.getByText('Proof: use the operator’s key').click();
    const field = page.getByRole('textbox', { name: 'Public key (PEM)' });
    await field.fill(await readFile(log.keys.publicKey, 'utf8'));
    await check.click();
    await expectText(status, 'the one that you pasted');
    await field.fill('ssh-ed25519 AAAA');
    await check.click();
    await expectText(status, 'not a public key. A public key begins with -----BEGIN PUBLIC KEY-----.');
    await field.fill(otherKey);
    await check.click();
    await expectText(status, /^Not verified: the head of the log is not signed with the public key/);
  });

  test('finds a document that was altered on its way', async () => {
    const gateway = await startGateway();
    const { page } = await load(gateway);
    await page.route('**/week', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace('"overallVisibility":', '"overallVisibility":1') });
    });
    await page.getByRole('textbox', { name: 'API key' }).fill(gateway.key);
    await page.getByRole('button', { name: 'Open' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Check proof' }).click();
    await expectText(page.getByRole('status'), 'was published with other bytes');
  });

  test('saves the week and the verdict as one file that needs no network and has no key', async () => {
    const gateway = await startGateway();
    const { page } = await open(gateway);
    await settled(page);
    await page.getByRole('button', { name: 'Check proof' }).click();
    await expectText(page.getByRole('status'), 'Verified');
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as file' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('brand-visibility-2026-11-16.html');
    const file = await readFile(await download.path(), 'utf8');
    expect(file).toContain('Verified: all');
    expect(file).not.toContain(gateway.key);
    expect(file).not.toMatch(/<(script|link|img|iframe)\b|\bsrc=|href="(?!#)/);
    expect(
      await page.evaluate('[location.href, localStorage.length, sessionStorage.length, document.cookie]'),
    ).toEqual([`${gateway.base}/explore`, 0, 0, '']);
  });

  const looks: [string, BrowserContextOptions][] = [
    ['light', { viewport: { width: 1200, height: 900 } }],
    ['dark', { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' }],
    ['narrow', { viewport: { width: 390, height: 844 } }],
  ];

  test.each(looks)('%s: fits the screen and passes axe, at a glance and for a brand', async (_, options) => {
    const gateway = await startGateway();
    const { page } = await open(gateway, options);
    await settled(page);
    for (const step of ['glance', 'brand']) {
      expect([step, await faultsOf(page)]).toEqual([step, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      if (step === 'glance') {
        await page.getByRole('table').getByRole('link').first().click();
        await page.getByRole('heading', { name: 'Share of voice' }).waitFor();
      }
    }
  });

  test('says in words what is wrong with a key, also in the middle', async () => {
    const gateway = await startGateway();
    const { page } = await load(gateway);
    const problem = page.getByRole('alert');
    const enter = async (key: string) => {
      await page.getByRole('textbox', { name: 'API key' }).fill(key);
      await page.getByRole('button', { name: 'Open' }).click();
    };
    await enter('a key');
    await expectText(problem, 'A key has no blanks: paste only the part that starts with vis_.');
    await enter(`vis_${'0'.repeat(48)}`);
    await expectText(problem, 'The key is not valid');
    await setPlan(gateway.records, demoWorkspace, 'starter', 1000);
    await enter(gateway.key);
    await expectText(problem, 'does not include the API');
    await setPlan(gateway.records, demoWorkspace, 'agency', 1000);
    await enter(`"Bearer ${gateway.key}"`);
    await settled(page);
    await gateway.records.revokeKey(storedForm(gateway.key).prefix);
    await page.getByRole('slider', { name: 'Week' }).focus();
    await page.keyboard.press('ArrowLeft');
    await expectText(problem, 'The key is not valid');
  });

  test('offers one snapshot for each week, and none that was declared mistaken', async () => {
    const { publications } = (await readHistory(log.store, (await readLog(log.store, log))!, demoWorkspace))!;
    const { snapshotId } = publications[1]!;
    await withdraw(log, demoWorkspace, [{ snapshotId, reason: 'mistaken' }]);
    const { page } = await open(await startGateway());
    await settled(page);
    await page.getByRole('slider', { name: 'Week' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('as of 2026-11-02', { exact: true }).waitFor();
    expect(await page.getByText('as of 2026-11-09').count()).toBe(0);
  });
});
