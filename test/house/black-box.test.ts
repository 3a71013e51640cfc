import { expect, test } from 'vitest';
import { importsOf } from './code.ts';
import type { Import } from './code.ts';
import { projectFiles, textOf } from './files.ts';

/**
 * Tests with the module tag `black-box` survive a rewrite of the product, which changes these four files and what is
 * behind them. All else that such a test imports, directly or not, is in test/ and imports no file of the product.
 */
const adapters = ['deliver', 'publish', 'read-over-http', 'verify'].map((name) => `test/adapters/${name}.ts`);

const tests = projectFiles().filter((path) => path.endsWith('.test.ts'));
const blackBox = tests.filter((path) => /^ ?\/?\*+ @module-tag black-box\b/m.test(textOf(path)));
const isProduct = (path: string) => /^(?:lib|snapshots|jobs|gateway|clients)\//.test(path);

/** The imports of a file and of all that it imports, up to the adapters. */
function reachedFrom(file: string): Import[] {
  const seen = new Set([file]);
  const found: Import[] = [];
  for (const each of seen) {
    const imports = importsOf(each);
    found.push(...imports);
    for (const { to } of imports) if (/^test\/.*\.ts$/.test(to) && !adapters.includes(to)) seen.add(to);
  }
  return found;
}

test('black-box tests reach the product through the four adapters alone', () => {
  expect(blackBox.length).toBeGreaterThan(25);
  const around = blackBox.flatMap(reachedFrom).filter(({ to }) => isProduct(to));
  expect([...new Set(around.map(({ from, to }) => `${from} imports ${to}`))]).toEqual([]);
});

test('each adapter is used by black-box tests', () => {
  const used = new Set(blackBox.flatMap(reachedFrom).map(({ to }) => to));
  expect(adapters.filter((path) => !used.has(path))).toEqual([]);
});
