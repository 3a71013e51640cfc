/** @module-tag long */
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';
import type * as Sqlite from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { backUpSqlite, restoreSqlite } from '../../../../gateway/records/sqlite/backup.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { until } from '../../../support/until.ts';
import { runProgram, startGatewayProcess } from '../../../support/program.ts';
import type { Ended } from '../../../support/program.ts';

// The real function, with a record of each attempt.
vi.mock('node:sqlite', async (original) => {
  const sqlite = await original<typeof Sqlite>();
  return { ...sqlite, backup: vi.fn<typeof backup>(sqlite.backup) };
});

const workspace = '11111111-1111-4111-8111-111111111111';

/** Damage: a row that violates a rule of the schema. */
function damage(path: string): void {
  const database = new DatabaseSync(path, { defensive: false });
  database.exec('pragma writable_schema = on');
  database.exec("update sqlite_schema set sql = replace(sql, 'label text', 'label text not null')");
  database.close();
}

interface Place {
  settings: Record<string, string>;
  /** The records file. */
  records: string;
  /** The path of a copy. */
  copy: string;
}

async function newPlace(): Promise<Place> {
  const folder = await temporaryFolder();
  const records = join(folder, 'records.db');
  const settings = { RECORDS_URL: `sqlite:${records}`, STORE_URL: join(folder, 'store') };
  mkdirSync(settings.STORE_URL);
  return { settings, records, copy: join(folder, 'copy.db') };
}

async function run({ settings }: Place, ...args: string[]): Promise<Ended> {
  return await runProgram('gateway/records/commands/cli.ts', args, settings);
}

async function newKey(place: Place): Promise<string> {
  await run(place, 'workspace', 'set', workspace, '--name', 'One', '--plan', 'enterprise');
  return (await run(place, 'key', 'create', workspace)).stdout.trim();
}

async function startGateway({ settings }: Place) {
  const gateway = await startGatewayProcess(settings);
  onTestFinished(async () => {
    gateway.child.kill('SIGKILL');
    await gateway.ended;
  });
  const ask = async (key: string) =>
    (await fetch(`${gateway.url}/api/v1/brands`, { headers: { 'x-api-key': key } })).status;
  return { ask, ended: gateway.ended, child: gateway.child };
}

describe('records -- backup and restore', () => {
  test('a backup of a busy gateway is complete, and readable by its owner only', async () => {
    const place = await newPlace();
    const key = await newKey(place);
    const { ask } = await startGateway(place);
    const enough = new AbortController();
    const asking = Array.from({ length: 4 }, async () => {
      while (!enough.signal.aborted) await ask(key);
    });
    const made = await run(place, 'backup', '--to', place.copy, '--json');
    enough.abort();
    await Promise.all(asking);
    expect(made.stderr).toBe('');
    expect(JSON.parse(made.stdout)).toMatchObject({ path: place.copy, workspaces: 1, keys: 1 });
    expect(statSync(place.copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(place.copy)).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  });

  test('a restore takes effect in a gateway that runs, and the previous records are kept', async () => {
    const place = await newPlace();
    const old = await newKey(place);
    const { ask, child, ended } = await startGateway(place);
    await run(place, 'backup', '--to', place.copy);
    const later = await newKey(place);
    await run(place, 'key', 'revoke', old.slice(0, 12));
    expect([await ask(old), await ask(later)]).toEqual([401, 200]);
    const restored = await run(place, 'restore', '--from', place.copy, '--json');
    const { kept, keys } = JSON.parse(restored.stdout) as { kept: string; keys: number };
    expect([await ask(old), await ask(later), keys]).toEqual([200, 401, 1]);
    expect(restored.stderr).toBe(`the previous records are in ${kept}\n`);
    await run(place, 'restore', '--from', kept);
    expect([await ask(old), await ask(later)]).toEqual([401, 200]);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('a restore waits for another writer', async () => {
    const place = await newPlace();
    const key = await newKey(place);
    await run(place, 'backup', '--to', place.copy);
    const writer = new DatabaseSync(place.records);
    writer.exec('pragma journal_mode = wal; begin immediate; delete from key_uses');
    const restoring = restoreSqlite(place.copy, place.records, Date.now());
    // It was refused because of the writer, and retries.
    const attempts = vi.mocked(backup).mock.settledResults;
    await until(() => attempts.filter(({ type }) => type === 'rejected').length >= 2);
    writer.exec('commit');
    writer.close();
    expect(await restoring).toMatchObject({ workspaces: 1, keys: 1 });
    const { ask } = await startGateway(place);
    expect(await ask(key)).toBe(200);
  });

  test('a restore creates the records if there are none', async () => {
    const place = await newPlace();
    const key = await newKey(place);
    await run(place, 'backup', '--to', place.copy);
    const elsewhere = join(dirname(place.copy), 'below', 'records.db');
    const moved = { ...place, settings: { ...place.settings, RECORDS_URL: `sqlite:${elsewhere}` } };
    const { status, stderr } = await run(moved, 'restore', '--from', place.copy);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { ask } = await startGateway(moved);
    expect(await ask(key)).toBe(200);
  });
});

describe('refused, with status 1 and one line, and nothing changed', () => {
  test('a backup to an existing file', async () => {
    const place = await newPlace();
    await newKey(place);
    writeFileSync(place.copy, 'mine');
    const { status, stderr } = await run(place, 'backup', '--to', place.copy);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `sightline: ${place.copy} already exists; a backup never replaces a file\n`,
    });
    expect(statSync(place.copy).size).toBe(4);
  });

  test('all but one of several backups to one file at once', async () => {
    const place = await newPlace();
    await newKey(place);
    const made = await Promise.allSettled([1, 2, 3].map(() => backUpSqlite(place.records, place.copy)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(statSync(place.copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(place.copy)).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  });

  test('a backup of records that do not exist', async () => {
    const place = await newPlace();
    const { status, stderr } = await run(place, 'backup', '--to', place.copy);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `sightline: records file ${place.records} does not exist\n`,
    });
    expect(readdirSync(dirname(place.copy))).toEqual(['store']);
  });

  const spoilt: Record<string, (path: string) => void> = {
    'cannot be read: database disk image is malformed': (path) =>
      truncateSync(path, statSync(path).size - 4096),
    'is damaged': damage,
    'is not a records file': (path) => new DatabaseSync(path).exec('pragma user_version = 0'),
    'was made by a newer version': (path) => new DatabaseSync(path).exec('pragma user_version = 99'),
    'cannot be read: file is not a database': (path) => writeFileSync(path, 'x'.repeat(5000)),
    'does not exist': () => undefined,
  };
  test.each(Object.entries(spoilt))('a restore of a file that %s', async (said, spoil) => {
    const place = await newPlace();
    const key = await newKey(place);
    if (said !== 'does not exist') await run(place, 'backup', '--to', place.copy);
    spoil(place.copy);
    const { status, stderr } = await run(place, 'restore', '--from', place.copy);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^sightline: [^\n]*\n$/);
    expect(stderr).toContain(said);
    const { ask } = await startGateway(place);
    expect(await ask(key)).toBe(200);
  });

  test('a restore of the records onto themselves', async () => {
    const place = await newPlace();
    await newKey(place);
    const { status, stderr } = await run(place, 'restore', '--from', place.records);
    expect(status).toBe(1);
    expect(stderr).toContain('is the records file itself');
  });

  test('a backup of PostgreSQL, which has its own tools', async () => {
    const place = await newPlace();
    const settings = { RECORDS_URL: 'postgres://127.0.0.1:1/none' };
    const { status, stderr } = await run({ ...place, settings }, 'backup', '--to', place.copy);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'sightline: RECORDS_URL is not sqlite:PATH; pg_dump backs up PostgreSQL\n',
    });
    expect(existsSync(place.copy)).toBe(false);
  });
});
