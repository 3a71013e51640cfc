import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { temporaryFolder } from '../support/folder.ts';
import { projectFiles, textOf } from './files.ts';

const root = join(import.meta.dirname, '../..');
const files = projectFiles().filter((path) => path.endsWith('.test.ts'));
const matchesAny = (path: string, globs: readonly string[] = []) =>
  globs.some((glob) => matchesGlob(path, glob));

interface Project {
  test: { name: string; include: string[]; exclude?: string[] };
}
const projectsOf = (path: string) =>
  (config.test!.projects as Project[])
    .map((project) => project.test)
    .filter(({ include, exclude }) => matchesAny(path, include) && !matchesAny(path, exclude))
    .map(({ name }) => name);

test('every test file is in one project', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((path) => projectsOf(path).length !== 1)).toEqual([]);
});

/** True for a file of `npm test`. */
const isRun = (path: string) =>
  /product|mocks/.test(projectsOf(path)[0]!) && !/@module-tag (?:long|machine)/.test(textOf(path));

test('npm test has the tests of every invariant of the architecture', () => {
  const [, table] = /## Invariants\n([^]*?)\n## /.exec(textOf('docs/architecture.md'))!;
  const [, , ...rows] = table!.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(7);
  for (const row of rows) {
    const tests = [...row.matchAll(/\]\(\.\.\/(test\/[^)]*\.test\.ts)\)/g)].map(([, path]) => path!);
    expect([row, tests.length > 0, tests.every(isRun)]).toEqual([row, true, true]);
  }
});

test(
  'the end of the report names skipped tests, which fail a run in CI, and counts those of test:all apart',
  { tags: ['long'] },
  async () => {
    const mixed = `import { describe, test } from 'vitest';
    test('passes', () => {});
    describe.skip('without a program (apt-get install it)', { tags: ['machine'] }, () => { test('skips', () => {}); });
    test('takes long', { tags: ['long'] }, () => {});`;
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'test'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'test/mixed.test.ts'), mixed);
    const run = (...args: string[]) => {
      const options = ['--root', folder, '--config', join(root, 'vitest.config.ts'), ...args];
      const env = { PATH: process.env['PATH'], CI: 'true', NO_COLOR: '1' };
      const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...options];
      const { stdout, status } = spawnSync(process.execPath, vitest, { env, cwd: root, encoding: 'utf8' });
      return { lines: stdout.trimEnd().split('\n'), status };
    };
    const all = run();
    expect(all.lines).toContain('NOT RUN: test/mixed.test.ts > without a program (apt-get install it)');
    expect([all.lines.at(-1), all.status]).toEqual(['2 passed, 0 failed, 1 skipped', 1]);

    // Failures outside of tests count as failed.
    await writeFile(join(folder, 'test/broken.test.ts'), "throw new Error('no')");
    const npmTest = run('--project', 'product', '--project', 'mocks', '--tags-filter', '!machine && !long');
    expect(npmTest.lines.at(-2)).toMatch(/^npm run test:all runs 2 more tests of these files/);
    expect([npmTest.lines.at(-1), npmTest.status]).toEqual(['1 passed, 1 failed, 0 skipped', 1]);
  },
);
