import { expect, test } from 'vitest';
import { projectFiles, textOf } from './files.ts';

const files = projectFiles();
const ending = (...endings: string[]) => files.filter((path) => endings.some((end) => path.endsWith(end)));

test('every SQL file begins with a sentence that says what one row is', () => {
  const sql = ending('.sql');
  expect(sql.length).toBeGreaterThan(0);
  const silent = sql.filter((path) => !/^-- \p{Lu}[^\n]*(\n-- [^\n]+)*?[.:]/u.test(textOf(path)));
  expect(silent).toEqual([]);
});

// By position, moving a column in one of the two files would silently swap ids.
test('every insert of ingest names its columns', () => {
  const sources = files.filter((path) => path.startsWith('jobs/ingest/'));
  const inserts = sources.flatMap((path) => textOf(path).match(/insert into [^\s']+ .{0,8}/g) ?? []);
  expect(inserts.length).toBeGreaterThan(1);
  expect(inserts.filter((text) => !/^insert into \S+ (by name|\()/.test(text))).toEqual([]);
});

test('tests are in folders with the names of the tested folders', () => {
  const tests = files.filter((path) => /^test\/(?:gateway|jobs|lib|snapshots)\/.*\.test\.ts$/.test(path));
  expect(tests.length).toBeGreaterThan(100);
  const isThere = (folder: string) => files.some((path) => path.startsWith(folder));
  const absent = tests.filter((path) => !isThere(path.slice('test/'.length, path.lastIndexOf('/') + 1)));
  expect(absent).toEqual([]);
});

test('no file names a folder of one machine', () => {
  const machine = new RegExp(`(?<![\\w.:/])/(${['home', 'Users', 'root', 'work', 'tmp'].join('|')})/[\\w.]`);
  const text = files.filter((path) => !/\.(png|ico|gz|parquet|woff2?)$/.test(path));
  expect(text.filter((path) => machine.test(textOf(path)))).toEqual([]);
});
