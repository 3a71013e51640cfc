import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { DocumentIndex } from '../../../gateway/documents/document-index.ts';
import type { DocumentEntry } from '../../../gateway/documents/document-index.ts';
import { sha256 } from '../../../lib/hash.ts';
import { BRANDS_PATH, documentAt, documentKinds, documentPath, pathOf } from '../../../snapshots/layout.ts';

const BRANDS = 30;
const idOf = (n: number) => `0b5ef0a4-3a6e-4f0f-9c57-${String(n).padStart(12, '0')}`;

type Listed = Record<'path' | 'sha256', string>;

/** The documents of the n-th of many workspaces, all different, as `JSON.parse` returns them. */
function entriesOf(n: number): Listed[] {
  const paths = Array.from({ length: BRANDS }, (_, brand) =>
    documentKinds.map((kind) => documentPath(idOf(n * BRANDS + brand), kind)),
  ).flat();
  const entries = [BRANDS_PATH, ...paths].map((path) => ({ path, sha256: sha256(`${n} ${path}`) }));
  return JSON.parse(JSON.stringify(entries)) as Listed[];
}

/** An entry of the index as a manifest lists it. */
const listed = (entry?: DocumentEntry) => entry && { path: pathOf(entry.id), sha256: entry.sha256 };

test('finds every document of a manifest, and lists each once', () => {
  const entries = entriesOf(0);
  const index = new DocumentIndex(entries);
  expect(entries.map(({ path }) => listed(index.get(documentAt(path))))).toEqual(entries);
  expect(new Set(index.entries().map(listed))).toEqual(new Set(entries));
  expect([...index.entries()]).toHaveLength(index.size);
});

test('finds nothing that the manifest does not list', () => {
  const [brands, visibility] = [entriesOf(0)[0]!, entriesOf(0)[1]!];
  const others = [BRANDS_PATH, documentPath(idOf(0), 'prompts'), documentPath(idOf(1), 'visibility')];
  const ofOneBrand = new DocumentIndex([visibility]);
  expect(others.map((path) => ofOneBrand.get(documentAt(path)))).toEqual(others.map(() => undefined));
  expect(new DocumentIndex([brands]).get(documentAt(visibility.path))).toBeUndefined();
  expect([...new DocumentIndex([]).entries()]).toEqual([]);
});

test('takes less than 22 KB for 30 brands: 10,000 such workspaces in use fit into 220 MB', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const many = Array.from({ length: 500 }, (_, n) => new DocumentIndex(entriesOf(n)));
  const each = (used() - before) / many.length;
  expect(many.at(-1)!.size).toBe(BRANDS * documentKinds.length + 1);
  expect(each).toBeLessThan(22_000);
});
