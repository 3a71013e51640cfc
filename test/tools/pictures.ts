import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { pathOf } from '../support/requires.ts';

/*
 * Takes the pictures of the README and the tour, while `npm start` runs in the same folder:
 *   node test/tools/pictures.ts http://127.0.0.1:8080 [FILE WITH THE KEY]
 */
const root = join(import.meta.dirname, '../..');
const [base = 'http://127.0.0.1:8080', keyFile = join(root, '.data/demo-key')] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: pathOf('chromium'), args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });

async function take(picture: string): Promise<void> {
  await page.getByRole('status').getByText('Verified').waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(root, 'docs/pictures', picture) });
}

await page.goto(`${base}/explore`);
await page.getByRole('textbox', { name: 'API key' }).fill((await readFile(keyFile, 'utf8')).trim());
await page.getByRole('button', { name: 'Open' }).click();
await take('explore.png');
const moved = page.getByRole('row').filter({ hasText: 'moved' });
await moved.getByRole('rowheader').getByRole('link').click();
await page.locator('#brand-name').waitFor();
await page.locator('#progress:empty').waitFor({ state: 'attached' });
await page.setViewportSize({ width: 1280, height: 1250 });
await take('brand.png');
await browser.close();
