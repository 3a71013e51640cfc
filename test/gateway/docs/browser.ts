import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';

interface Documentation {
  page: Page;
  /** Errors in the console, and requests to other servers. */
  wrong: string[];
  /** How many bytes were loaded. */
  bytes: () => Promise<number>;
}

/** Opens the documentation page and records its errors. */
export async function openDocumentation(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<Documentation> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(0); // the test's own is the limit
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== 'data:' && protocol !== 'blob:')
      wrong.push(request.url());
  });
  const finished: Request[] = [];
  page.on('requestfinished', (request) => finished.push(request));
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { name: 'Versions' }).waitFor();
  const bytes = async () => {
    const sizes = await Promise.all(finished.map(async (request) => await request.sizes()));
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  };
  return { page, wrong, bytes };
}
