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

// By position, a column that moves in one of the two files puts one id in the place of another, without an error.
test('every insert of ingest and demo data goes by the names of columns', () => {
  const sources = files.filter((path) => /^jobs\/(ingest|demo)\//.test(path));
  const inserts = sources.flatMap((path) => textOf(path).match(/insert into [^\s']+ .{0,8}/g) ?? []);
  expect(inserts.length).toBeGreaterThan(3);
  expect(inserts.filter((text) => !/^insert into \S+ (by name|\()/.test(text))).toEqual([]);
});

test('no file of code is longer than 300 lines', () => {
  const text = ending('.ts', '.sql', '.sh', '.yaml', '.yml', '.tf', '.html', '.css', '.js');
  expect(text.length).toBeGreaterThan(0);
  const long = text.filter((path) => !isMade(path) && textOf(path).split('\n').length > 301);
  expect(long).toEqual([]);
});

test('no file names a folder of somebody’s machine', () => {
  const machine = new RegExp(`(?<![\\w.:/])/(${['home', 'Users', 'root', 'work', 'tmp'].join('|')})/[\\w.]`);
  const text = files.filter((path) => !/\.(png|ico|gz|parquet|woff2?)$/.test(path));
  expect(text.filter((path) => machine.test(textOf(path)))).toEqual([]);
});
