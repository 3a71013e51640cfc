import { describe, expect, test } from 'vitest';
import { importsOf, readsEnvironment } from './code.ts';
import { projectFiles, textOf } from './files.ts';

/**
 * docs/architecture.md, Layers. Clients depend on the API only, and take two folders of `lib` at their build: the week in
 * words, and the verification of proofs.
 */
const takenByClients = ['lib/proofs', 'lib/weeks'];
const rooms: Record<string, readonly string[]> = {
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

const roomOf = (path: string) => path.split('/')[0]!;
const mayImport = (from: string, to: string) =>
  rooms[roomOf(from)]!.some((folder) => to.startsWith(`${folder}/`));
const files = projectFiles().filter((path) => path.endsWith('.ts') && roomOf(path) in rooms);
const imports = files.flatMap(importsOf);
/** What runs in production, with the packages that the root installs; lib/openapi writes docs/openapi.json. */
const isService = (path: string) => roomOf(path) !== 'clients' && !path.startsWith('lib/openapi/');
const isPackage = (to: string) => !to.includes('.ts') && !to.includes('.json') && !to.startsWith('node:');

describe('the layers', () => {
  test('contain code, so that the next tests test something', () => {
    expect(new Set(files.map(roomOf))).toEqual(new Set(Object.keys(rooms)));
    expect(imports.length).toBeGreaterThan(files.length);
  });

  test('import only from the allowed layers', () => {
    const inside = imports.filter(({ to }) => to.endsWith('.ts'));
    expect(inside.filter((each) => !mayImport(each.from, each.to))).toEqual([]);
  });

  test('use only packages that are installed in production', () => {
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: object };
    const packages = imports.filter(({ from, to, isValue }) => isService(from) && isValue && isPackage(to));
    expect(packages.filter(({ to }) => !(to in dependencies))).toEqual([]);
  });
});

/** The folder of a file; a program is on its own, because it imports its commands. */
const folderOf = (path: string) => (path.endsWith('/cli.ts') ? path : path.slice(0, path.lastIndexOf('/')));

test('no folder of snapshots imports another that imports it, by any way', () => {
  const edges = new Map<string, Map<string, string>>();
  for (const { from, to } of imports) {
    const [inside, other] = [folderOf(from), folderOf(to)];
    if (inside === other || ![from, to].every((path) => /^snapshots\/.*\.ts$/.test(path))) continue;
    edges.set(inside, (edges.get(inside) ?? new Map<string, string>()).set(other, `${from} → ${to}`));
  }
  expect(edges.size).toBeGreaterThan(5);
  const reached = (folder: string, seen = new Set<string>()): Set<string> => {
    for (const next of edges.get(folder)?.keys() ?? []) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  const inCycles = [...edges].flatMap(([folder, others]) =>
    [...others].filter(([other]) => reached(other).has(folder)).map(([, example]) => example),
  );
  expect(inCycles).toEqual([]);
});

test('no circle of imports, of types too, has more than two files', () => {
  const next = Map.groupBy(imports, ({ from }) => from);
  const reachedFrom = (file: string): Set<string> => {
    const seen = new Set<string>();
    const open = [file];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const fresh = (next.get(at) ?? []).map(({ to }) => to).filter((to) => !seen.has(to));
      for (const to of fresh) open.push(to);
      for (const to of fresh) seen.add(to);
    }
    return seen;
  };
  const reached = new Map(files.map((file) => [file, reachedFrom(file)]));
  const circleOf = (file: string) => [...reached.get(file)!].filter((other) => reached.get(other)?.has(file));
  expect(reached.get('gateway/main.ts')!.size).toBeGreaterThan(100);
  expect(files.map(circleOf).filter((circle) => circle.length > 2)).toEqual([]);
});

test('each library with a socket, a disk or a clock in it appears in one file', () => {
  const guarded = imports.filter(
    ({ from, to, isValue }) =>
      isService(from) && isValue && (to === 'node:sqlite' || (isPackage(to) && !pure.has(to))),
  );
  // lib/files/file-lock.ts uses SQLite as a lock, and stores no data in it.
  const libraries = guarded.filter(({ from }) => from !== 'lib/files/file-lock.ts');
  const uses = Map.groupBy(libraries, ({ to }) => to);
  const shared = [...uses].map(([name, by]) => ({ name, users: new Set(by.map(({ from }) => from)) }));
  expect(shared.filter(({ users }) => users.size > 1)).toEqual([]);
});

test('only lib/config.ts reads the environment', () => {
  expect(files.filter(isService).filter(readsEnvironment)).toEqual(['lib/config.ts']);
});

/** The command of the client has options and settings; the package as a library has neither. */
const COMMAND = 'clients/typescript/src/main.ts';

test('what clients take of lib imports nothing of the rest of it, and no package', () => {
  const entries = imports.filter(({ from, to }) => from.startsWith('clients/') && to.startsWith('lib/'));
  const open = entries.map(({ to }) => to);
  const taken = new Set(open);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const next = imports.filter(({ from }) => from === file).map(({ to }) => to);
    expect(next.filter((to) => !takenByClients.some((folder) => to.startsWith(`${folder}/`)))).toEqual([]);
    for (const to of next.filter((each) => !taken.has(each))) open.push(to);
    for (const to of next) taken.add(to);
  }
  expect(taken.size).toBeGreaterThan(5);
});

/** Files of `snapshots` that read what was published. */
const readers = [
  'snapshots/diff/',
  'snapshots/reading/',
  'snapshots/log/',
  'snapshots/layout',
  'snapshots/manifest',
  'snapshots/read.ts',
];

test('the diff depends on reading and on lib alone', () => {
  const own = imports.filter(({ from, to }) => from.startsWith('snapshots/diff/') && to.endsWith('.ts'));
  expect(own.length).toBeGreaterThan(10);
  const allowed = ['lib/', ...readers];
  expect(own.filter(({ to }) => !allowed.some((prefix) => to.startsWith(prefix)))).toEqual([]);
});

test('the core of sightline-client imports nothing; its other files import only files and cryptography of Node', () => {
  const folders = ['clients/typescript', ...takenByClients];
  const own = imports.filter(({ from }) => folders.some((folder) => from.startsWith(`${folder}/`)));
  const outside = own.filter(({ to }) => !to.endsWith('.ts'));
  expect(own.length).toBeGreaterThan(outside.length);
  const users = Map.groupBy(outside, ({ to }) => to);
  const core = ['client', 'connection', 'documents', 'error', 'index', 'options', 'store', 'version', 'wait'];
  expect([...users.keys()].toSorted()).toEqual(['node:crypto', 'node:fs/promises', 'node:path', 'node:util']);
  expect(users.get('node:util')!.map(({ from }) => from)).toEqual([COMMAND]);
  expect(outside.filter(({ from }) => core.some((name) => from.endsWith(`/${name}.ts`)))).toEqual([]);
  const typescript = files.filter((path) => path.startsWith('clients/typescript/'));
  expect(typescript.filter(readsEnvironment)).toEqual([COMMAND]);
});
