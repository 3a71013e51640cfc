import { expect, test } from 'vitest';
import { projectFiles, textOf } from './files.ts';

test('no file names a folder of one machine', () => {
  const machine = new RegExp(`(?<![\\w.:/])/(${['home', 'Users', 'root', 'work', 'tmp'].join('|')})/[\\w.]`);
  const text = projectFiles().filter((path) => !/\.(png|ico|gz|parquet|woff2?)$/.test(path));
  expect(text.length).toBeGreaterThan(400);
  expect(text.filter((path) => machine.test(textOf(path)))).toEqual([]);
});
