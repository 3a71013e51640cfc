import type * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { examineSqlite } from '../../gateway/doctor/sqlite.ts';
import { temporaryFolder } from '../support/folder.ts';

vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof promises>()),
  statfs: async () => await Promise.resolve({ bavail: 0, bsize: 4096, blocks: 1_000_000 }),
}));

test('for records that cannot be read on a full disk, the remedy is to free space and not to replace them', async () => {
  const { writeFile } = await import('node:fs/promises');
  const path = join(await temporaryFolder(), 'records.db');
  await writeFile(path, 'what SQLite cannot read, whatever the reason is'.repeat(9));
  const findings = await examineSqlite(path);
  const bad = findings.filter(({ state }) => state === 'failure');
  expect(bad.map(({ subject }) => subject)).toEqual(['records', 'records: disk']);
  for (const { remedy } of bad) expect(remedy).toMatch(/^make room at /);
});
