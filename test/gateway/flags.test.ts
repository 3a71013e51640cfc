import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Node's own flags about memory and threads in a text, and the C library's. */
const flagsIn = (text: string) => text.match(/(?:--[\w-]+-size|MALLOC_ARENA_MAX)=\d+/g)?.toSorted();

test('whoever starts a gateway gives Node and the C library the same flags', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<'start' | 'gateway', string>;
  };
  const flags = flagsIn(scripts.gateway);
  expect(flags).toHaveLength(4);
  expect([scripts.start, await readFile('infra/sightline', 'utf8')].map(flagsIn)).toEqual([flags, flags]);
});
