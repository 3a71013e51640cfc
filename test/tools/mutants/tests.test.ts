import { expect, test } from 'vitest';
import { projectFiles } from '../../house/files.ts';
import { stepsOf, testsOf } from './tests.ts';

const files = projectFiles();
const sources = files.filter((path) =>
  /^(?:lib|snapshots|jobs|gateway|infra\/doctor|clients\/\w+\/src)\/.*\.(?:ts|sql)$/.test(path),
);

test('every source file has tests', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => stepsOf(path) === undefined)).toEqual([]);
});

test('every folder has sources, and every name of tests stands for some', () => {
  const empty = Object.keys(testsOf).filter(
    (folder) => !sources.some((path) => path.startsWith(`${folder}/`)),
  );
  expect(empty).toEqual([]);
  const names = Object.values(testsOf)
    .flat(2)
    .filter((word) => word.startsWith('test/'));
  const tests = files.filter((path) => path.endsWith('.test.ts'));
  expect(names.filter((name) => !tests.some((path) => path.includes(name)))).toEqual([]);
});
