import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** Node's own flags about memory and threads in a text, the C library's, and where stripped types are kept. */
const flagsIn = (text: string) =>
  text
    .match(/(?:--[\w-]+-size|MALLOC_ARENA_MAX)=\d+|NODE_COMPILE_CACHE=\S+/g)
    ?.map((flag) => flag.replace(/"?\$(?:PWD|folder)|"$/g, ''))
    .toSorted();

test('whoever starts a gateway gives Node and the C library the same flags', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<'start' | 'gateway' | 'pregateway', string>;
  };
  const flags = flagsIn(scripts.gateway);
  expect(flags).toHaveLength(5);
  expect([scripts.start, await readFile('infra/sightline', 'utf8')].map(flagsIn)).toEqual([flags, flags]);
  expect(scripts.pregateway).toContain(' npm run gateway '); // and so has them too
});
