import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/clock.ts';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { UNKNOWN_KEY } from '../../../../gateway/records/standing.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { openSqliteDatabase } from '../../../../gateway/records/sqlite/database.ts';
import { manualClock } from '../../clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { describeRecords } from '../contract.ts';
import { one } from '../each-records.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

describeRecords('SQLite', async () => {
  const path = join(folder, 'below', 'records.db');
  return {
    open: async () => openSqliteRecords(path, { clock: systemClock }),
    dump: async () => {
      const files = await Promise.all(
        ['', '-wal'].map((suffix) => readFile(`${path}${suffix}`, 'latin1').catch(() => '')),
      );
      return files.join('');
    },
    loseCounts: async () => {
      using file = new DatabaseSync(path);
      file.exec('delete from minute_counts');
    },
    setCounts: async (requests, minutesFromNow) => {
      using file = new DatabaseSync(path);
      const now = Math.floor(systemClock.now() / 60_000);
      file.prepare('update minute_counts set requests = ?, minute = ?').run(requests, now + minutesFromNow);
      return now;
    },
  };
});

test('the last use of a key in SQLite is stored to the second, and never goes back', async () => {
  const clock = manualClock('2026-11-16T06:00:59.999Z');
  const records = openSqliteRecords(join(folder, 'records.db'), { clock });
  await records.setWorkspace({ id: one, name: 'One', plan: 'agency', requestsPerMinute: null });
  const { hash, prefix } = storedForm(newKey());
  await records.createKey(one, { hash, prefix }, null);
  for (const [now, lastUsedAt] of [
    ['2026-11-16T06:00:59.999Z', '2026-11-16T06:00:59.000Z'],
    ['2026-11-16T06:01:00.000Z', '2026-11-16T06:01:00.000Z'],
    ['2026-11-16T06:00:58.000Z', '2026-11-16T06:01:00.000Z'],
  ]) {
    clock.set(now!);
    await records.admit([{ hash, requests: 1 }]);
    expect(await records.listKeys(one)).toMatchObject([{ lastUsedAt }]);
  }
  await records.close();
});

describe('a records file', () => {
  test('is readable by its owner only, as are its folder and the files that SQLite puts next to it', async () => {
    const path = join(folder, 'below', 'records.db');
    const before = process.umask(0);
    const records = openSqliteRecords(path, { clock: systemClock });
    process.umask(before);
    await records.listWorkspaces();
    const modes = [join(folder, 'below'), path, `${path}-wal`, `${path}-shm`].map(
      (name) => statSync(name).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    await records.close();
  });

  test('that another process keeps locked: no request is admitted until it is free', async () => {
    const path = join(folder, 'records.db');
    const records = openSqliteRecords(path, { clock: systemClock, maxWaitMs: 20 });
    const other = openSqliteDatabase(path, { maxWaitMs: 20, purpose: 'create', clock: systemClock });
    const ask = () => records.admit([{ hash: storedForm(newKey()).hash, requests: 1 }]);
    const complaint = `records file ${path} cannot be used: database is locked`;
    other.transaction(() => expect(ask).toThrow(complaint));
    expect(ask()).toEqual([UNKNOWN_KEY]);
    other.close();
    await records.close();
  });
});
