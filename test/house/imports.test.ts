import { describe, expect, test } from 'vitest';
import { importsOf, readsEnvironment } from './code.ts';
import { projectFiles, textOf } from './files.ts';

/** docs/architecture.md, Layers. Clients know the API only, as anyone does who installs them. */
const rooms: Record<string, readonly string[]> = {
  lib: ['lib'],
  snapshots: ['lib', 'snapshots'],
  jobs: ['lib', 'snapshots', 'jobs'],
  gateway: ['lib', 'snapshots', 'gateway'],
  clients: ['clients'],
};

/**
 * Libraries without a socket, a disk or a clock of their own (lru-cache: as long as nothing in it has a lifetime;
 * p-retry and p-timeout: timers that are gone when their promise is settled).
 */
const pure = new Set([
  'commander',
  'lru-cache',
  'p-limit',
  'p-map',
  'p-retry',
  'p-timeout',
  'zod',
  'zod-openapi',
]);

const roomOf = (path: string) => path.split('/')[0]!;
const files = projectFiles().filter((path) => path.endsWith('.ts') && roomOf(path) in rooms);
const imports = files.flatMap(importsOf);
/** What runs where the service does, with the packages that the root installs. */
const isService = (path: string) => roomOf(path) !== 'clients';
const isPackage = (to: string) => !to.includes('.ts') && !to.includes('.json') && !to.startsWith('node:');

describe('the rooms', () => {
  test('hold code, or these tests would hold nothing', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(Object.keys(rooms)));
    expect(imports.length).toBeGreaterThan(files.length);
  });

  test('import only from the rooms that they may', () => {
    const inside = imports.filter(({ to }) => to.endsWith('.ts'));
    expect(inside.filter(({ from, to }) => !rooms[roomOf(from)]!.includes(roomOf(to)))).toEqual([]);
  });

  test('use only packages that are installed where the program runs', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: object };
    const packages = imports.filter(({ from, to, isValue }) => isService(from) && isValue && isPackage(to));
    expect(packages.filter(({ to }) => !(to in dependencies))).toEqual([]);
  });
});

test('each library with a socket, a disk or a clock in it appears in one file', () => {
  const guarded = imports.filter(
    ({ from, to, isValue }) =>
      isService(from) && isValue && (to === 'node:sqlite' || (isPackage(to) && !pure.has(to))),
  );
  // A lock is not a database: lib/files/file-lock.ts keeps nothing in SQLite.
  const libraries = guarded.filter(({ from }) => from !== 'lib/files/file-lock.ts');
  const uses = Map.groupBy(libraries, ({ to }) => to);
  const shared = [...uses].map(([name, by]) => ({ name, users: new Set(by.map(({ from }) => from)) }));
  expect(shared.filter(({ users }) => users.size > 1)).toEqual([]);
});

test('only lib/config.ts reads the environment', () => {
  expect(files.filter(isService).filter(readsEnvironment)).toEqual(['lib/config.ts']);
});

test('sightline-client imports no package, and of Node only files and cryptography, apart from its core', () => {
  const own = imports.filter(({ from }) => from.startsWith('clients/typescript/'));
  const outside = own.filter(({ to }) => !to.endsWith('.ts'));
  expect(own.length).toBeGreaterThan(outside.length);
  const users = Map.groupBy(outside, ({ to }) => to);
  const core = ['client', 'connection', 'error', 'index', 'store', 'wait'];
  expect([...users.keys()].toSorted()).toEqual(['node:crypto', 'node:fs/promises', 'node:path']);
  expect(outside.filter(({ from }) => core.some((name) => from.endsWith(`/${name}.ts`)))).toEqual([]);
  const typescript = files.filter((path) => path.startsWith('clients/typescript/'));
  expect(typescript.filter(readsEnvironment)).toEqual([]);
});
