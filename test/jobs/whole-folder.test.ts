import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWholeFolder } from '../../jobs/whole-folder.ts';
import { temporaryFolder } from '../support/folder.ts';

const judge = async (unfinished: string) => {
  await rm(unfinished, { recursive: true });
  return 'replace' as const;
};

test('a folder that cannot be replaced by the new one stays as it was', async () => {
  const parent = await temporaryFolder();
  const to = join(parent, 'export');
  await mkdir(to);
  await writeFile(join(to, 'earlier'), '');
  const made = makeWholeFolder({ to, purpose: 'test', work: async () => undefined, judge });
  await expect(made).rejects.toThrow(`${to} cannot be written: `);
  expect(await readdir(parent)).toEqual(['export']);
  expect(await readdir(to)).toEqual(['earlier']);
});
