import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { operationIds, routes } from '../../lib/documents/routes.ts';
import { buildOpenApi } from '../../lib/openapi/index.ts';
import { withExamples } from '../../gateway/docs/examples.js';
import { documentationFiles } from '../../gateway/documentation.ts';
import { ask } from './ask.ts';
import { startListeningGateway } from './gateway.ts';
import type { ListeningGateway } from './gateway.ts';

interface Described {
  paths: Record<string, { get: { 'x-codeSamples': { label: string; source: string }[] } }>;
}

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  gateway = await startListeningGateway(systemClock, {
    publicFiles: await documentationFiles(JSON.stringify(buildOpenApi())),
  });
  ({ base } = gateway);
});
afterAll(() => gateway.close());

describe('the examples', () => {
  const origin = 'https://api.example';
  const described = withExamples(buildOpenApi(), origin) as Described;

  test.each(operationIds)(
    'of %s name its address in curl, TypeScript and Python, with the key from outside',
    (id) => {
      const { path } = routes[id];
      const samples = described.paths[path]!.get['x-codeSamples'];
      expect(samples.map(({ label }) => label)).toEqual(['curl', 'TypeScript', 'Python']);
      const spelled = ['$BRAND_ID', '${brandId}', '{brand_id}'];
      for (const [index, { source }] of samples.entries()) {
        expect(source).toContain(`${origin}${path.replace('{brandId}', spelled[index]!)}`);
        expect(source).toMatch(/SIGHTLINE_KEY/);
      }
    },
  );

  test('are what they say: the one in TypeScript prints the data', async () => {
    const local = withExamples(buildOpenApi(), base) as Described;
    const { source } = local.paths['/api/v1/brands']!.get['x-codeSamples'][1]!;
    const env = { ...process.env, SIGHTLINE_KEY: await gateway.createKey() };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module-typescript', '-e', source],
      { env },
    );
    expect(stdout).toContain("name: 'Acme'");
  });
});

describe('the documentation page', () => {
  test('and all that it needs are there without a key, compressed and not sent twice', async () => {
    const files = await documentationFiles('{}');
    expect(files.map(({ url }) => url)).toContain('/docs');
    for (const { url, type } of files) {
      const answer = await ask(base, url, { headers: ['Accept-Encoding', 'gzip, br'] });
      expect([url, answer.status]).toEqual([url, 200]);
      expect(answer.headers).toMatchObject({
        'content-type': type,
        ...(url === '/openapi.json' ? {} : { 'content-encoding': 'br' }), // it names the address of each request
        'x-content-type-options': 'nosniff',
      });
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(
        String(answer.headers['content-security-policy']).replace("style-src-attr 'unsafe-inline'", ''),
      ).not.toMatch(/unsafe|\*|http/);
      const condition = ['Accept-Encoding', 'br', 'If-None-Match', answer.headers.etag!];
      const again = await ask(base, url, { headers: condition });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    expect((await ask(base, '/docs/../gateway/main.ts')).status).toBe(401);
    expect((await ask(base, '/docs/main.ts')).status).toBe(401);
  });
});

test('with PUBLIC_URL the OpenAPI file names that address to everybody, and is compressed', async () => {
  const files = await documentationFiles(JSON.stringify(buildOpenApi()), 'https://api.example/sightline');
  const document = await files
    .find(({ url }) => url === '/openapi.json')!
    .document(new IncomingMessage(new Socket()));
  const { servers } = JSON.parse(document.variants.identity.body.toString()) as { servers: unknown };
  expect(servers).toEqual([expect.objectContaining({ url: 'https://api.example/sightline' })]);
  expect(document.variants.br.body.length).toBeLessThan(document.variants.identity.body.length / 4);
});

/** Waits until the page shows all of it; the test's own time is the limit. */
async function untilShown(page: Page, texts: readonly string[]): Promise<void> {
  for (;;) {
    const shown = await page.locator('body').innerText();
    if (texts.every((text) => shown.includes(text))) return;
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
  }
}

const chromiumPath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  process.env['CHROMIUM_PATH'] ?? '',
].find(existsSync);

describe.skipIf(chromiumPath === undefined)('the documentation page in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());

  /** Opens the page and keeps what went wrong on it. */
  async function open(options: BrowserContextOptions): Promise<{ page: Page; wrong: string[] }> {
    const page = await (await browser.newContext(options)).newPage();
    const wrong: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') wrong.push(message.text());
    });
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (origin !== base && protocol !== 'data:' && protocol !== 'blob:') wrong.push(request.url());
    });
    await page.goto(`${base}/docs`);
    await page.getByRole('heading', { name: 'Sightline' }).first().waitFor();
    return { page, wrong };
  }

  test('shows operations, with examples that name this gateway, and asks nobody else for anything', async () => {
    const { page, wrong } = await open({ viewport: { width: 1280, height: 900 } });
    for (const id of ['listBrands', 'getVisibility'] as const) {
      const tag = id === 'listBrands' ? 'brands' : 'measurements';
      await page.goto('about:blank');
      await page.goto(`${base}/docs#/${tag}/${id.toLowerCase()}`);
      await untilShown(page, [routes[id].summary, `${base}/api/v1/brands`, '429', 'X-RateLimit-Remaining']);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['a phone', { width: 360, height: 740 }],
    ['a wide screen', { width: 1600, height: 900 }],
  ])('fits on %s, without scrolling sideways', async (_what, viewport) => {
    const { page, wrong } = await open({ viewport, isMobile: viewport.width < 500 });
    const { scroll, width } = await page.evaluate<{ scroll: number; width: number }>(
      '({ scroll: document.documentElement.scrollWidth, width: innerWidth })',
    );
    expect(scroll).toBeLessThanOrEqual(width);
    expect(wrong).toEqual([]);
  });

  test.each([
    ['light', (brightness: number) => brightness > 200],
    ['dark', (brightness: number) => brightness < 80],
  ] as const)('is %s where the reader wants that', async (colorScheme, isRight) => {
    const { page } = await open({ colorScheme });
    const colour = await page.evaluate<string>(`(() => {
      for (let at = document.querySelector('h1'); at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (!/rgba\\(.*, 0\\)|transparent/.test(colour)) return colour;
      }
      return 'rgb(255, 255, 255)';
    })()`);
    const [red, green, blue] = colour.match(/\d+/g)!.map(Number) as [number, number, number];
    expect(isRight((red + green + blue) / 3)).toBe(true);
  });
});
