import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { readSql } from '../../../gateway/records/sql.ts';

vi.mock('node:fs', { spy: true });

test('a statement is read from the disk once, so that an upgrade in place does not affect a running gateway', () => {
  const first = readSql('postgres/sql/admit');
  expect(readSql('postgres/sql/admit')).toBe(first);
  expect(readSql('sql/revoke-key')).not.toBe(first);
  expect(readFileSync).toHaveBeenCalledTimes(2);
});
