import { globSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { readSql, readSqliteSql } from '../../../gateway/records/sql.ts';

vi.mock('node:fs', { spy: true });

test('a statement is read from the disk once, so that an upgrade in place does not affect a running gateway', () => {
  const first = readSql('postgres/sql/admit');
  expect(readSql('postgres/sql/admit')).toBe(first);
  expect(readSql('sql/revoke-key')).not.toBe(first);
  expect(readFileSync).toHaveBeenCalledTimes(2);
});

test('the SQL files in the folders are those that the code names', () => {
  const code = globSync('{gateway,infra/doctor}/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const named = code.flatMap((text) =>
    [...text.matchAll(/'((?:\w+\/)?sql\/[\w-]+)'/g)].map(([, name]) => name!),
  );
  const found = globSync('{sql,*/sql}/*.sql', { cwd: 'gateway/records' });
  expect(found.map((path) => path.slice(0, -'.sql'.length)).toSorted()).toEqual(
    [...new Set<string>(named)].toSorted(),
  );
});

test('a statement for both databases names tables and parameters as SQLite does', () => {
  expect(readSqliteSql('sql/revoke-key')).toMatch(/\nupdate keys set .* prefix = \?1 /);
});
