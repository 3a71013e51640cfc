import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { workspaceId } from '../gateway.ts';
import { startExploreGateway } from './browser.ts';

test('the bundle that is served was made from the sources', async () => {
  const { explore } = (JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { explore: string } })
    .scripts;
  const made = join(await temporaryFolder(), 'page.js');
  await promisify(exec)(explore.replace('gateway/explore/page.js', made), {
    env: { ...process.env, PATH: `node_modules/.bin:${process.env['PATH']}` },
  });
  const served = await readFile('gateway/explore/page.js', 'utf8');
  expect(served === (await readFile(made, 'utf8')), 'run npm run explore').toBe(true);
});

test('/explore is small, asks again by its tag, and allows scripts and requests of its own server only', async () => {
  const gateway = await startExploreGateway({ log: await testLog(await temporaryFolder()), workspaceId });
  const sizes = await Promise.all(
    ['', '/page.css', '/page.js'].map(async (name) => {
      const headers = { 'accept-encoding': 'gzip' };
      const response = await fetch(`${gateway.base}/explore${name}`, { headers });
      const tag = response.headers.get('etag')!;
      const again = await fetch(response.url, { headers: { ...headers, 'if-none-match': tag } });
      expect(again.status).toBe(304);
      expect(response.headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'self';/,
      );
      return Number(response.headers.get('content-length'));
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(400_000);
});
