import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { pathOf } from '../support/requires.ts';

/*
 * Takes the pictures of the README and the tour. While `npm start` runs, in the same folder:
 *   npm run audit -- report --html .data/report.html
 *   node test/tools/pictures.ts http://127.0.0.1:8080
 */
const [base = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const root = join(import.meta.dirname, '../..');
const browser = await chromium.launch({ executablePath: pathOf('chromium'), args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1000, height: 720 } });

async function take(picture: string, of: Page): Promise<void> {
  await of.screenshot({ path: join(root, 'docs/pictures', picture) });
}

await page.goto(`${base}/explore`);
await page
  .getByRole('textbox', { name: 'API key' })
  .fill(await readFile(join(root, '.data/demo-key'), 'utf8'));
await page.getByRole('button', { name: 'Open' }).click();
await page.getByRole('heading', { name: 'The week in words' }).waitFor();
await page.locator('#progress:empty').waitFor({ state: 'attached' });
await take('explore.png', page);
await page.goto(pathToFileURL(join(root, '.data/report.html')).href);
await page.evaluate("document.querySelector('.charts').scrollIntoView()");
await take('report.png', page);
await browser.close();
