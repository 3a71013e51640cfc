import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('pages and headings that the doctor names exist', async () => {
  const folders = ['infra/doctor'];
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  );
  const texts = await Promise.all(
    names
      .flat()
      .filter((name) => name.endsWith('.ts'))
      .map(async (name) => await readFile(join(root, name), 'utf8')),
  );
  const references = texts.flatMap((text) => [...text.matchAll(/\((docs\/[\w/-]+\.md), ([^)]+)\)/g)]);
  expect(references.length).toBeGreaterThan(2);
  for (const [, page, heading] of references) {
    expect(await readFile(join(root, page!), 'utf8')).toMatch(new RegExp(`^#+ ${heading}$`, 'm'));
  }
});
