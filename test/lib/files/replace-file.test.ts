import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFile } from '../../../lib/files/replace-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('of several at once each replaces the file completely, and nothing else is left', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'metrics.prom');
  const contents = Array.from({ length: 16 }, (_, n) => String.fromCharCode(97 + n).repeat(1000 * (n + 1)));
  await Promise.all(contents.map((content) => replaceFile(file, content)));
  expect(contents).toContain(await readFile(file, 'utf8'));
  expect(await readdir(folder)).toEqual(['metrics.prom']);
});
