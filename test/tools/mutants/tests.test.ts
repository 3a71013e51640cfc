import { expect, test } from 'vitest';
import { projectFiles } from '../../house/files.ts';
import { mutantsOf, mutate } from './sites.ts';
import { sourceFiles, stepsOf, testsOf } from './tests.ts';

test('every source file has tests, every folder has sources, and every name stands for tests', () => {
  const files = projectFiles();
  const sources = sourceFiles();
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap(stepsOf).length).toBeGreaterThan(sources.length);
  const isEmpty = (folder: string) => !sources.some((path) => path.startsWith(`${folder}/`));
  expect(Object.keys(testsOf).filter(isEmpty)).toEqual([]);
  const tests = files.filter((path) => path.endsWith('.test.ts'));
  const names = Object.values(testsOf).flat();
  expect(names.filter((name) => !tests.some((path) => path.includes(name)))).toEqual([]);
});

test.each([
  ['a.ts', 'if (a <= 1) f();', ['if (a < 1) f();', ';', 'if (a <= 2) f();', 'if (a <= 1) ;']],
  [
    'a.sql',
    "select min(a) where a < 'x < y' or b is null -- a < b",
    [
      "select max(a) where a < 'x < y' or b is null -- a < b",
      "select min(a) where a <= 'x < y' or b is null -- a < b",
      "select min(a) where a < 'x < y' and b is null -- a < b",
      "select min(a) where a < 'x < y' or b is not null -- a < b",
    ],
  ],
])('the mutants of %s: %s', (file, text, expected) => {
  const changed = mutantsOf(file, text).map((mutant) => mutate(text, mutant));
  expect(changed.toSorted()).toEqual(expected.toSorted());
});
