import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** The flags of Node and the C library for memory and threads in a text, and the folder of the code cache. */
const flagsIn = (text: string) =>
  text
    .match(/(?:--[\w-]+-size|MALLOC_ARENA_MAX)=\d+|NODE_COMPILE_CACHE=\S+/g)
    ?.map((flag) => flag.replace(/"?\$(?:PWD|folder)|"$/g, ''))
    .toSorted();

test('every way to start a gateway sets the same flags for Node and the C library', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<'start' | 'gateway' | 'pregateway', string>;
  };
  const flags = flagsIn(scripts.gateway);
  expect(flags).toHaveLength(4);
  expect([scripts.start, await readFile('infra/sightline', 'utf8')].map(flagsIn)).toEqual([flags, flags]);
  expect(scripts.pregateway).toContain(' npm run gateway '); // so it has the same flags
});

test('every script starts Node without the debugger that SIGUSR1 opens for every local user', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'job', 'gateway', 'records', 'audit', 'doctor']) {
    expect(scripts[name]).toMatch(/ ?node --disable-sigusr1 /);
  }
});
