import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { storedForm } from '../../../gateway/admission/keys.ts';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { exploreFiles } from '../../../gateway/explore/files.ts';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { systemClock } from '../../../lib/clock.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { chooseWorkspace } from '../../../snapshots/audit/select.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { describeWith, pathOf } from '../../support/requires.ts';
import { setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { acme, publishBrands } from '../snapshots.ts';

const newFolder = temporaryFolders();
const hostileName = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">"'&`;
const days = ['2026-11-02', '2026-11-09', '2026-11-16'];

let keys: Keys;
let otherKey: string;
let store: ObjectStore;
let demoWorkspace: string;
let demoBrands: number;

/** Three signed weeks of a demo workspace after eight weeks of runs, so that there are bands. */
beforeAll(async () => {
  const root = await newFolder();
  keys = await makeTestKeys(root, 'own');
  otherKey = await readFile((await makeTestKeys(root, 'other')).publicKey, 'utf8');
  const drop = join(root, 'drop');
  demoBrands = 3;
  const size = {
    seed: 3,
    workspaces: 1,
    brands: demoBrands,
    prompts: 6,
    cycles: 8,
    format: 'ndjson',
  } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  const lake = directoryStore(join(root, 'lake'));
  store = directoryStore(join(root, 'store'));
  await ingest({ from: drop, lake, date: '2026-09-01' }, { clock: { now: () => Date.parse('2026-11-20') } });
  for (const day of days) {
    await weekly({ lake, store, asOf: parseInstant(`${day}T23:00:00Z`)!, signer: keys.signer });
  }
  demoWorkspace = await chooseWorkspace(store, undefined);
});

test('the bundle that is served was made from the sources', async () => {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: join(import.meta.dirname, '../../../gateway/explore/browser/main.ts'),
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const served = await readFile(join(import.meta.dirname, '../../../gateway/explore/page.js'), 'utf8');
  expect(served, 'run npm run explore').toBe(output[0].code);
});

/** A gateway over the demo's store, with a key of the workspace. */
async function startGateway(options: {
  workspaceId?: string;
  requestsPerMinute?: number;
  store?: ObjectStore;
}) {
  const { workspaceId = demoWorkspace, requestsPerMinute = 1000 } = options;
  const gateway = await startListeningGateway(systemClock, {
    store: options.store ?? store,
    publicFiles: [...(await documentationFiles('{"openapi":"3.1.0"}')), ...(await exploreFiles(keys.trust))],
  });
  onTestFinished(async () => await gateway.close());
  await setPlan(gateway.records, workspaceId, 'agency', requestsPerMinute);
  return { ...gateway, key: await gateway.createKey(workspaceId) };
}

describeWith(['chromium'], '/explore in a browser', () => {
  let browser: Browser;
  let axe: string;
  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: ['--no-sandbox'],
      timeout: 0,
    });
  });
  afterAll(async () => await browser?.close());

  interface Opened {
    page: Page;
    /** The paths of the API that were requested. */
    requests: string[];
    /** What X-RateLimit-Remaining said. */
    remaining: number[];
    complaints: string[];
  }

  async function load(gateway: ListeningGateway, options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await browser.newContext(options);
    onTestFinished(async () => await context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(0); // the test's own is the limit
    const [requests, remaining, complaints]: [string[], number[], string[]] = [[], [], []];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== gateway.base) complaints.push(request.url());
      if (pathname.startsWith('/api/')) requests.push(pathname);
    });
    page.on('response', (response) => {
      const left = response.headers()['x-ratelimit-remaining'];
      if (left !== undefined) remaining.push(Number(left));
    });
    await page.goto(`${gateway.base}/explore`);
    return { page, requests, remaining, complaints };
  }

  async function open(gateway: ListeningGateway, options: BrowserContextOptions = {}): Promise<Opened> {
    const opened = await load(gateway, options);
    const { page } = opened;
    await page.getByRole('textbox', { name: 'API key' }).fill(gateway.key);
    await page.getByRole('button', { name: 'Open' }).click();
    return opened;
  }

  /** Waits until nothing is loading any more. */
  async function settled(page: Page): Promise<void> {
    await page.locator('#content table').first().waitFor();
    await page.locator('#progress:empty').waitFor({ state: 'attached' });
  }

  async function faultsOf(page: Page): Promise<unknown> {
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    await page.evaluate(axe);
    return await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
    );
  }

  test('shows the week of every brand with one request each, then leaders, and what was won and lost', async () => {
    const gateway = await startGateway({});
    const { page, requests, complaints } = await open(gateway);
    await settled(page);
    expect(requests.slice(0, 1 + demoBrands).filter((path) => !/\/(brands|visibility)$/.test(path))).toEqual(
      [],
    );
    expect(requests).toHaveLength(1 + demoBrands + 1 + 2 * demoBrands);
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.count()).toBe(1 + demoBrands);
    await page
      .getByText(/within its usual range|outside its usual range/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows a brand with six documents, by keyboard, and what moved since the week before', async () => {
    const gateway = await startGateway({});
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
    await page.getByRole('link', { name: 'All brands' }).click();
    await page.getByRole('heading', { name: 'The week in words' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('shows past weeks by the slider, and requests each document once', async () => {
    const gateway = await startGateway({});
    const { page, requests } = await open(gateway);
    await settled(page);
    const slider = page.getByRole('slider', { name: 'Week' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('as of 2026-11-09').waitFor();
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await page.getByText('as of 2026-11-16').waitFor();
    await settled(page);
    expect(await slider.getAttribute('aria-valuetext')).toBe('as of 2026-11-16');
    expect(new Set(requests).size).toBe(requests.length);
  });

  test('verifies what is on screen, with a pasted key too, and refuses another key', async () => {
    const gateway = await startGateway({});
    const { page } = await open(gateway);
    await settled(page);
    const check = page.getByRole('button', { name: 'Check proof' });
    const status = page.getByRole('status');
    await check.click();
    await status.filter({ hasText: /^Verified/ }).waitFor();
    expect(await status.innerText()).toContain('not independent');
    await page.getByText('Proof', { exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Public key (PEM)' });
    await field.fill(await readFile(keys.publicKey, 'utf8'));
    await check.click();
    await status.filter({ hasText: 'the one that you pasted' }).waitFor();
    await field.fill(otherKey);
    await check.click();
    await status
      .filter({ hasText: /^Not verified: the snapshot is not signed with the public key/ })
      .waitFor();
  });

  test('finds a document that was altered on its way', async () => {
    const gateway = await startGateway({});
    const { page } = await load(gateway);
    await page.route('**/visibility', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace('"overallVisibility":', '"overallVisibility":1') });
    });
    await page.getByRole('textbox', { name: 'API key' }).fill(gateway.key);
    await page.getByRole('button', { name: 'Open' }).click();
    await settled(page);
    await page.getByRole('button', { name: 'Check proof' }).click();
    await page.getByRole('status').filter({ hasText: 'was published with other bytes' }).waitFor();
  });

  test('saves the week and the verdict as one file that needs no network and has no key', async () => {
    const gateway = await startGateway({});
    const { page } = await open(gateway);
    await settled(page);
    await page.getByRole('button', { name: 'Check proof' }).click();
    await page.getByRole('status').filter({ hasText: 'Verified' }).waitFor();
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
    const gateway = await startGateway({});
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
    const gateway = await startGateway({});
    const { page } = await load(gateway);
    const problem = page.getByRole('alert');
    const enter = async (key: string) => {
      await page.getByRole('textbox', { name: 'API key' }).fill(key);
      await page.getByRole('button', { name: 'Open' }).click();
    };
    await enter('a key');
    await problem.filter({ hasText: 'not a key' }).waitFor();
    await enter(`vis_${'0'.repeat(48)}`);
    await problem.filter({ hasText: 'The key is not valid' }).waitFor();
    await setPlan(gateway.records, demoWorkspace, 'starter', 1000);
    await enter(gateway.key);
    await problem.filter({ hasText: 'does not include the API' }).waitFor();
    await setPlan(gateway.records, demoWorkspace, 'agency', 1000);
    await enter(gateway.key);
    await settled(page);
    await gateway.records.revokeKey(storedForm(gateway.key).prefix);
    await page.getByRole('slider', { name: 'Week' }).focus();
    await page.keyboard.press('ArrowLeft');
    await problem.filter({ hasText: 'The key is not valid' }).waitFor();
  });

  test('waits visibly, and leaves a tenth of the minute, for thirty brands and 30 requests a minute', async () => {
    const folder = await newFolder();
    const many = directoryStore(join(folder, 'store'));
    const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c01';
    const brands = Array.from({ length: 30 }, (_, index) => ({
      ...acme,
      id: acme.id.slice(0, -2) + String(index + 10),
      name: index === 0 ? hostileName : `Brand ${index}`,
    }));
    await publishBrands(many, workspaceId, brands);
    const gateway = await startGateway({ workspaceId, requestsPerMinute: 30, store: many });
    const { page, remaining } = await open(gateway);
    await page.getByText(/^Waiting \d+ s/).waitFor();
    expect(Math.min(...remaining)).toBeGreaterThanOrEqual(3);
    await page.getByRole('table').getByRole('row').nth(30).waitFor();
    expect(Math.min(...remaining)).toBeGreaterThanOrEqual(3);
    expect(await page.getByRole('rowheader').first().innerText()).toBe(hostileName);
    expect(await page.title()).toBe('Brand visibility');
  });

  test('offers 104 weeks on the slider', async () => {
    const folder = await newFolder();
    const long = directoryStore(join(folder, 'store'));
    const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c02';
    const first = Date.parse('2024-11-25T06:00:00Z');
    for (let week = 0; week < 104; week += 1) {
      await publishBrands(long, workspaceId, [acme], new Date(first + week * 7 * 86_400_000).toISOString());
    }
    const { page } = await open(await startGateway({ workspaceId, store: long }));
    await settled(page);
    const slider = page.getByRole('slider', { name: 'Week' });
    expect(await slider.getAttribute('max')).toBe('103');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('as of 2024-11-25').waitFor();
    await settled(page);
  });

  test('says that nothing was published yet', async () => {
    const workspaceId = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c03';
    const { page } = await open(await startGateway({ workspaceId }));
    await page.getByText('it is warming up').waitFor();
  });

  test('is small, and asks again by its tag', async () => {
    const gateway = await startGateway({});
    const sizes = await Promise.all(
      ['', '/page.css', '/page.js'].map(async (name) => {
        const headers = { 'accept-encoding': 'br' };
        const response = await fetch(`${gateway.base}/explore${name}`, { headers });
        const tag = response.headers.get('etag')!;
        const again = await fetch(response.url, { headers: { ...headers, 'if-none-match': tag } });
        expect(again.status).toBe(304);
        return Number(response.headers.get('content-length'));
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(400_000);
  });
});

describe('the page', () => {
  test('allows scripts, styles and requests of its own server only', async () => {
    const gateway = await startGateway({});
    const { headers } = await fetch(`${gateway.base}/explore`);
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
  });
});
