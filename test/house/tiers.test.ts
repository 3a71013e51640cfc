import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { temporaryFolder } from '../support/folder.ts';
import { packages } from '../support/requires.ts';
import { projectFiles, textOf } from './files.ts';

const root = join(import.meta.dirname, '../..');
const files = projectFiles().filter((path) => path.endsWith('.test.ts'));
const matchesAny = (path: string, globs: readonly string[] = []) =>
  globs.some((glob) => matchesGlob(path, glob));

interface Project {
  test: { name: string; include: string[]; exclude?: string[] };
}
const projects = (config.test!.projects as Project[]).map((project) => project.test);
const projectsOf = (path: string) =>
  projects
    .filter(({ include, exclude }) => matchesAny(path, include) && !matchesAny(path, exclude))
    .map(({ name }) => name);

const inProduct = files.filter((path) => /product|mocks/.test(projectsOf(path)[0]!));

test('every test file is in one project', () => {
  expect(inProduct.length).toBeGreaterThan(50);
  expect(files.filter((path) => projectsOf(path).length !== 1)).toEqual([]);
});

test('tests that replace a module have an isolated worker', () => {
  const replacing = files.filter((path) => /^vi\.mock\(/m.test(textOf(path)));
  expect(replacing.length).toBeGreaterThan(1);
  expect(replacing.filter((path) => projectsOf(path)[0] !== 'mocks')).toEqual([]);
});

const isLong = (path: string) => /@module-tag (?:long|machine)/.test(textOf(path));

test('npm test has the tests of every invariant of the architecture', () => {
  const [, table] = /## Invariants\n([^]*?)\n## /.exec(textOf('docs/architecture.md'))!;
  const rows = table!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const testsOf = rows.map((row) =>
    [...row.matchAll(/\]\(\.\.\/(test\/[^)]*\.test\.ts)\)/g)].map(([, path]) => path!),
  );
  expect(rows.length).toBeGreaterThan(7);
  expect(testsOf.filter((paths) => paths.length === 0)).toEqual([]);
  expect(testsOf.flat().filter((path) => !inProduct.includes(path) || isLong(path))).toEqual([]);
});

test('tests that run a program that npm does not install use describeWith', () => {
  const names = Object.keys(packages).join('|');
  const runs = new RegExp(`(?:spawn|spawnSync|exec\\w*|run)\\)?\\(\\s*'(?:${names})'`);
  const running = inProduct.filter((path) => runs.test(textOf(path)));
  expect(running.length).toBeGreaterThan(1);
  expect(running.filter((path) => !/describeWith\(/.test(textOf(path)))).toEqual([]);
});

test('no test sleeps: tests wait for conditions (test/support/until.ts)', () => {
  const sleeping = /node:timers\/promises|\bsetTimeout\(\s*\w+,/;
  expect(files.filter((path) => sleeping.test(textOf(path)))).toEqual([]);
});

test('every property test runs the number of cases that it declares', () => {
  const ending = /interruptAfterTimeLimit(?![^}]*markInterruptAsFailure: true)|skipAllAfterTimeLimit/;
  const byClock = /(?:performance|Date)\.now\(\)[^;\n]*\)\s*(?:\{\s*)?return\b/;
  const texts = files.map((path) => ({ path, text: textOf(path) }));
  expect(texts.filter(({ text }) => /fc\.assert\(/.test(text)).length).toBeGreaterThan(5);
  const found = texts.filter(({ path, text }) => path !== 'test/house/tiers.test.ts' && ending.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
  expect(texts.filter(({ text }) => byClock.test(text)).map(({ path }) => path)).toEqual([]);
});

/** The last lines of a run of these tests, and its exit status. */
async function report(
  text: string,
  args: string[],
  CI: string,
): Promise<{ lines: string[]; status: number | null }> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'test'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'test/some.test.ts'), text);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['--root', folder, '--config', join(root, 'vitest.config.ts'), ...args];
  const env = { PATH: process.env['PATH'], CI, NO_COLOR: '1' };
  const child = spawnSync(process.execPath, [vitest, 'run', ...options], {
    env,
    cwd: root,
    encoding: 'utf8',
  });
  return { lines: child.stdout.trimEnd().split('\n'), status: child.status };
}

describe('the end of the report', { tags: ['long'] }, () => {
  const npmTest = ['--project', 'product', '--project', 'mocks', '--tags-filter', '!machine && !long'];
  const mixed = `import { describe, test } from 'vitest';
    test('passes', () => {});
    describe.skip('without a program (apt-get install it)', { tags: ['machine'] }, () => { test('skips', () => {}); });
    test('takes long', { tags: ['long'] }, () => {});`;

  test('npm test: counts the tests of test:all separately', async () => {
    const { lines, status } = await report(mixed, npmTest, 'true');
    expect(lines.at(-2)).toMatch(/^npm run test:all runs 2 more tests of these files/);
    expect([lines.at(-1), status]).toEqual(['1 passed, 0 failed, 0 skipped', 0]);
  });

  test.each([
    ['', 0],
    ['true', 1],
  ])('npm run test:all: names skipped tests; with CI "%s" the status is %i', async (CI, status) => {
    const ended = await report(mixed, [], CI);
    const name = 'test/some.test.ts > without a program (apt-get install it)';
    expect(ended.lines).toContain(`NOT RUN: ${name}`);
    expect([ended.lines.at(-1), ended.status]).toEqual(['2 passed, 0 failed, 1 skipped', status]);
  });

  test('counts failures outside of tests', async () => {
    const { lines, status } = await report("throw new Error('no')", [], '');
    expect([lines.at(-1), status]).toEqual(['0 passed, 1 failed, 0 skipped', 1]);
  });
});
