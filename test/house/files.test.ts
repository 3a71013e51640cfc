import { expect, test } from 'vitest';
import { projectFiles, textOf } from './files.ts';

const files = projectFiles();
const ending = (...endings: string[]) => files.filter((path) => endings.some((end) => path.endsWith(end)));

/** Written by a program, or delivered. */
const isMade = (path: string) => path.startsWith('test/golden/') || path.endsWith('.json');

test('every SQL file begins with a sentence that says what it yields', () => {
  const sql = ending('.sql');
  expect(sql.length).toBeGreaterThan(0);
  const silent = sql.filter((path) => !/^-- \p{Lu}[^\n]*(\n-- [^\n]+)*?[.:]/u.test(textOf(path)));
  expect(silent).toEqual([]);
});

test('no file is longer than 300 lines', () => {
  const text = ending('.ts', '.sql', '.sh', '.md', '.yaml', '.yml', '.tf', '.html', '.css', '.js');
  expect(text.length).toBeGreaterThan(0);
  const long = text.filter((path) => !isMade(path) && textOf(path).split('\n').length > 301);
  expect(long).toEqual([]);
});

test('no file names a folder of somebody’s machine', () => {
  const machine = new RegExp(`(?<![\\w.:/])/(${['home', 'Users', 'root', 'work', 'tmp'].join('|')})/[\\w.]`);
  const text = files.filter((path) => !/\.(png|ico|gz|parquet|woff2?)$/.test(path));
  expect(text.filter((path) => machine.test(textOf(path)))).toEqual([]);
});

test('package-lock.json names no download addresses', () => {
  expect(textOf('package-lock.json')).not.toMatch(/"resolved": "http/);
});

// npm leaves out what the registry at hand does not have; `npm ci` then refuses the file, on every platform.
test('package-lock.json holds the optional packages of every platform', () => {
  interface Lock {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  }
  const { packages } = JSON.parse(textOf('package-lock.json')) as Lock;
  const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  expect(optional.length).toBeGreaterThan(0);
  expect(optional.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});
