import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Node's own flags about memory in a text. */
const flagsIn = (text: string) => text.match(/--[\w-]+-space-size=\d+/g);

test('whoever starts a gateway gives Node the same flags', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<'start' | 'gateway', string>;
  };
  const flags = flagsIn(scripts.gateway);
  expect(flags).toHaveLength(2);
  expect([scripts.start, await readFile('infra/sightline', 'utf8')].map(flagsIn)).toEqual([flags, flags]);
});
