import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/clock.ts';
import { storedForm } from '../../../../gateway/records/keys.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { describeWith } from '../../../support/requires.ts';
import { describeRecords, one } from '../contract.ts';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

describeRecords('SQLite', async () => {
  const path = join(folder, 'below', 'records.db');
  return {
    records: openSqliteRecords(path, { clock: systemClock }),
    execute: (sql) => {
      using file = new DatabaseSync(path);
      file.exec(sql);
    },
    schema: 'main',
  };
});

test('a records file is readable by its owner only, as are its folder and the files that SQLite puts next to it', async () => {
  const path = join(folder, 'below', 'records.db');
  const before = process.umask(0);
  const records = openSqliteRecords(path, { clock: systemClock });
  process.umask(before);
  await records.listWorkspaces();
  const files = [join(folder, 'below'), path, `${path}-wal`, `${path}-shm`];
  expect(files.map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
  await records.close();
});

test('while a records file is locked, or cannot be written, no request is admitted', async () => {
  const path = join(folder, 'records.db');
  const records = openSqliteRecords(path, { clock: systemClock, maxWaitMs: 20 });
  await records.setWorkspace({ id: one, name: 'One', plan: 'agency' });
  const { hash } = storedForm((await records.makeKey(one, null)).key);
  const ask = () => records.admit([{ hash, requests: 1 }]);
  using other = new DatabaseSync(path);
  for (const [begin, reason, end] of [
    ['begin immediate', 'database is locked', 'commit'],
    [
      "create trigger full before update on minute_counts begin select raise(abort, 'disk is full'); end",
      'disk is full',
      'drop trigger full',
    ],
  ] as const) {
    other.exec(begin);
    expect(ask).toThrow(`records file ${path} cannot be used: ${reason}`);
    other.exec(end);
    expect(ask()).toMatchObject([{ refused: null }]);
  }
  await records.close();
});

describeWith(['strace'], 'a revocation', () => {
  test('is synced to SQLite before the command returns, so that it survives a power cut', async () => {
    const path = join(folder, 'records.db');
    const records = openSqliteRecords(path, { clock: systemClock });
    await records.setWorkspace({ id: one, name: 'One', plan: 'agency' });
    const { made } = await records.makeKey(one, null);
    const trace = join(folder, 'trace');
    const watched = ['-f', '--seccomp-bpf', '-y', '-e', 'trace=pwrite64,fsync,fdatasync', '-o', trace];
    const command = [process.execPath, 'gateway/records/commands/cli.ts', 'key', 'revoke', made.prefix];
    const env = { PATH: process.env['PATH'], RECORDS_URL: `sqlite:${path}` };
    expect(spawnSync('strace', [...watched, ...command], { env })).toMatchObject({ status: 0 });
    const calls = await readFile(trace, 'utf8');
    const ofWal = calls.split('\n').filter((line) => line.includes('records.db-wal>'));
    expect(ofWal.filter((line) => line.includes('pwrite64('))).not.toEqual([]);
    expect(ofWal.at(-1)).toMatch(/ f(data)?sync\(/);
    await records.close(); // closed only here: the last process to close the file syncs too
  });
});
