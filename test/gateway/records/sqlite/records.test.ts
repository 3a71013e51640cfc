import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/clock.ts';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { UNKNOWN_KEY } from '../../../../gateway/records/standing.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { openSqliteDatabase } from '../../../../gateway/records/sqlite/database.ts';
import { manualClock } from '../../clock.ts';
import { describeRecords } from '../contract.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-records-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
    dispose: async () => undefined,
  };
});

describe('the minute of SQLite records', () => {
  const workspaceId = '11111111-1111-4111-8111-111111111111';
  const clock = manualClock('2026-11-16T06:00:59.999Z');
  const minuteEnds = Date.parse('2026-11-16T06:01:00Z') / 1000;
  let records: Records;
  let hash: string;

  beforeEach(async () => {
    clock.set('2026-11-16T06:00:59.999Z');
    records = openSqliteRecords(join(folder, 'records.db'), { clock });
    await records.setWorkspace({ id: workspaceId, name: 'One', plan: 'agency', requestsPerMinute: null });
    const stored = storedForm(newKey());
    hash = stored.hash;
    await records.createKey(workspaceId, stored, null);
  });
  afterEach(() => records.close());

  const lastUse = async () => (await records.listKeys(workspaceId))[0]!.lastUsedAt;
  const admit = async () => (await records.admit([{ hash, requests: 1 }]))[0];

  test('ends with the wall-clock minute, to the millisecond', async () => {
    expect(await admit()).toMatchObject({ used: 1, minuteEnds, secondsLeft: 1 });
    expect(await admit()).toMatchObject({ used: 2, minuteEnds, secondsLeft: 1 });
    clock.set('2026-11-16T06:01:00.000Z');
    expect(await admit()).toMatchObject({ used: 1, minuteEnds: minuteEnds + 60, secondsLeft: 60 });
    clock.set('2026-11-16T06:01:00.001Z');
    expect(await admit()).toMatchObject({ used: 2, minuteEnds: minuteEnds + 60, secondsLeft: 60 });
  });

  test('stays open for a process that read the clock just before it began', async () => {
    clock.set('2026-11-16T06:01:00.000Z');
    await admit();
    clock.set('2026-11-16T06:00:59.999Z');
    expect(await admit()).toMatchObject({ used: 2, minuteEnds: minuteEnds + 60 });
  });

  test('ignores a minute of a clock that was an hour ahead', async () => {
    clock.set('2026-11-16T07:00:00.000Z');
    await admit();
    clock.set('2026-11-16T06:00:30.000Z');
    expect(await admit()).toMatchObject({ used: 1, minuteEnds, secondsLeft: 30 });
  });

  test('is stored as last-used time, to the second, and never goes back', async () => {
    await admit();
    expect(await lastUse()).toBe('2026-11-16T06:00:59.000Z');
    clock.set('2026-11-16T06:01:00.000Z');
    await admit();
    expect(await lastUse()).toBe('2026-11-16T06:01:00.000Z');
    clock.set('2026-11-16T06:00:58.000Z');
    await admit();
    expect(await lastUse()).toBe('2026-11-16T06:01:00.000Z');
  });
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

  test('that is not a database is refused by name and not changed', async () => {
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'these are notes, and long enough not to be taken for an empty database file');
    expect(() => openSqliteRecords(path, { clock: systemClock })).toThrow(
      `records file ${path} cannot be opened`,
    );
    expect(await readFile(path, 'utf8')).toMatch(/^these are notes/);
  });

  test('of a newer version is refused', async () => {
    const path = join(folder, 'records.db');
    openSqliteDatabase(path, { maxWaitMs: 100, purpose: 'create', clock: systemClock }).close();
    const raw = new DatabaseSync(path);
    raw.exec('pragma user_version = 999');
    raw.close();
    expect(() => openSqliteRecords(path, { clock: systemClock })).toThrow('made by a newer version');
  });

  test('that another process keeps locked: no request is admitted until it is free', async () => {
    const path = join(folder, 'records.db');
    const records = openSqliteRecords(path, { clock: systemClock, maxWaitMs: 20 });
    const other = openSqliteDatabase(path, { maxWaitMs: 20, purpose: 'create', clock: systemClock });
    const ask = () => records.admit([{ hash: storedForm(newKey()).hash, requests: 1 }]);
    other.transaction(() => expect(ask).toThrow('database is locked'));
    expect(ask()).toEqual([UNKNOWN_KEY]);
    other.close();
    await records.close();
  });
});
