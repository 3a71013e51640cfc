import type * as promises from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { examineSqlite } from '../../infra/doctor/records.ts';
import { readConfig } from '../../lib/config.ts';
import { findRoom } from '../../infra/doctor/disk.ts';
import { openStore } from '../../lib/store/open.ts';
import { examineStore } from '../../infra/doctor/store.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A disk of 50 MB, of which 4 MB are free. */
vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof promises>()),
  statfs: async () => await Promise.resolve({ bavail: 1000, bsize: 4000, blocks: 12_500 }),
}));

test('for records that cannot be read on a full disk, the remedy is to free space and not to replace them', async () => {
  const { writeFile } = await import('node:fs/promises');
  const path = join(await temporaryFolder(), 'records.db');
  await writeFile(path, 'what SQLite cannot read, whatever the reason is'.repeat(9));
  const findings = await examineSqlite(path);
  const bad = findings.filter(({ state }) => state === 'failure');
  expect(bad.map(({ subject }) => subject)).toEqual(['records', 'records: disk']);
  for (const { remedy } of bad) {
    expect(remedy).toMatch(/^make room at .*: or move the records to a larger disk$/);
    expect(remedy).not.toContain('prune');
  }
});

test('for a full store the remedy names the command that frees space', async () => {
  const folder = await temporaryFolder();
  const config = readConfig({ STORE_URL: folder });
  const findings = await examineStore(openStore(config.STORE_URL), config, false);
  const disk = findings.find(({ subject }) => subject === 'store: disk')!;
  expect(disk).toMatchObject({ state: 'failure', found: expect.stringContaining('4 MB of 50 MB free at ') });
  expect(disk.remedy).toContain('"npm run audit -- prune"');
});

test('sizes below 1 GB are in MB', async () => {
  const { found } = await findRoom('disk', '/', 'remove something');
  expect(found).toBe('4 MB of 50 MB free at /');
});
