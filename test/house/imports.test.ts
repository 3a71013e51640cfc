import { describe, expect, test } from 'vitest';
import { importsBelow, importsOf } from './code.ts';
import { projectFiles, textOf } from './files.ts';

/**
 * docs/architecture.md, Layers. Clients depend on the API only, and take two folders of `lib` at their build: the week in
 * words, and the verification of proofs.
 */
const takenByClients = ['lib/proofs', 'lib/weeks'];
const layers: Record<string, readonly string[]> = {
  lib: ['lib'],
  snapshots: ['lib', 'snapshots'],
  jobs: ['lib', 'snapshots', 'jobs'],
  gateway: ['lib', 'snapshots', 'gateway'],
  clients: ['clients', ...takenByClients],
  // The doctor looks at every part of an installation.
  infra: ['lib', 'snapshots', 'jobs', 'gateway', 'infra'],
};

/**
 * Libraries that use no socket, disk or clock (lru-cache: without lifetimes; p-retry and p-timeout: their timers end
 * with their promise).
 */
const pure = new Set([
  '@observablehq/plot',
  'commander',
  'lru-cache',
  'p-limit',
  'p-map',
  'p-retry',
  'p-timeout',
  'zod',
  'zod-openapi',
]);

const layerOf = (path: string) => path.split('/')[0]!;
const isBelow = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path.startsWith(`${folder}/`));
const all = projectFiles();
const files = all.filter((path) => path.endsWith('.ts') && layerOf(path) in layers);
const imports = files.flatMap(importsOf);
/** What runs in production, with the packages that the root installs; lib/openapi writes docs/openapi.json. */
const isService = (path: string) => !isBelow(path, ['clients', 'lib/openapi']);
const isPackage = (to: string) => !to.includes('.ts') && !to.includes('.json') && !to.startsWith('node:');
const inProduction = imports.filter(({ from, isValue }) => isService(from) && isValue);

describe('the layers', () => {
  test('import only from the allowed layers', () => {
    expect(new Set(files.map(layerOf))).toEqual(new Set(Object.keys(layers)));
    const inside = imports.filter(({ to }) => to.endsWith('.ts'));
    expect(inside.length).toBeGreaterThan(files.length);
    expect(inside.filter(({ from, to }) => !isBelow(to, layers[layerOf(from)]!))).toEqual([]);
  });

  test('use only packages that are installed in production', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: object };
    // Load tests run after `npm ci --omit=dev` (docs/performance.md).
    const programs = ['cli.ts', 'sender.program.ts'].map((file) => `test/tools/load/${file}`);
    const ofLoads = importsBelow(programs, () => true).filter(({ isValue }) => isValue);
    const used = [...inProduction, ...ofLoads].filter(({ to }) => isPackage(to));
    expect(used.filter(({ to }) => !(to in dependencies))).toEqual([]);
  });

  test('import each library with a socket, a disk or a clock in it from one file', () => {
    const guarded = inProduction.filter(
      // lib/files/file-lock.ts uses SQLite as a lock, and stores no data in it.
      ({ from, to }) =>
        (isPackage(to) && !pure.has(to)) || (to === 'node:sqlite' && from !== 'lib/files/file-lock.ts'),
    );
    const users = Map.groupBy(guarded, ({ to }) => to).values();
    expect([...users].filter((by) => new Set(by.map(({ from }) => from)).size > 1)).toEqual([]);
  });
});

test('only lib/config.ts reads the environment, and the programs of the clients', () => {
  const reading =
    /\bprocess(?:\.|\[')env\b|\{[^{};]*\benv\b[^{};]*\}\s*=\s*process\b|from '(?:node:)?process'/;
  const programs = ['clients/mcp/src/main.ts', 'clients/typescript/src/main.ts'];
  expect(files.filter((path) => reading.test(textOf(path))).toSorted()).toEqual(
    ['lib/config.ts', ...programs].toSorted(),
  );
});

/**
 * Tests with the module tag `black-box` survive a rewrite of the product, which changes these four files and what is
 * behind them. All else that such a test imports, directly or not, is in test/ and imports no file of the product.
 */
const adapters = new Set(
  ['deliver', 'publish', 'read-over-http', 'verify'].map((name) => `test/adapters/${name}.ts`),
);

test('black-box tests reach the product through the four adapters alone', () => {
  const tests = all.filter((path) => path.endsWith('.test.ts'));
  const blackBox = tests.filter((path) => /^ ?\/?\*+ @module-tag black-box\b/m.test(textOf(path)));
  expect(blackBox.length).toBeGreaterThan(10);
  const reached = importsBelow(blackBox, (to) => isBelow(to, ['test']) && !adapters.has(to));
  const product = ['lib', 'snapshots', 'jobs', 'gateway', 'clients'];
  expect(reached.filter(({ to }) => isBelow(to, product))).toEqual([]);
});
