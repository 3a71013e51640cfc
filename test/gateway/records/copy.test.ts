/** @module-tag long */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import { copyRecords } from '../../../gateway/records/copy.ts';
import { openPostgresRecords } from '../../../gateway/records/postgres/records.ts';
import type { Records } from '../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../lib/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runHere } from '../../support/command-line.ts';
import { eachDatabase } from './each-database.ts';
import { one, two } from './each-records.ts';

const database = eachDatabase();
let path: string;
beforeEach(async () => {
  path = join(await temporaryFolder(), 'records.db');
});

const target = async (): Promise<Records> => {
  const records = await openPostgresRecords(database.url, { batchesAtOnce: 1, maxWaitMs: 5000 });
  onTestFinished(() => records.close());
  return records;
};
const inFile = (statement: string) => {
  using file = new DatabaseSync(path);
  file.exec(statement);
};
const make = async (records: Records, workspace: string, label: string | null) => {
  const stored = storedForm(newKey());
  await records.createKey(workspace, stored, label);
  return stored;
};

/** Two workspaces; keys that were labelled, used, revoked; ids from 40 on. */
async function fill() {
  const records = openSqliteRecords(path, { clock: systemClock });
  onTestFinished(() => records.close().catch(() => undefined)); // some are closed before
  await records.setWorkspace({ id: two, name: 'Zwölf "GmbH" 🏷', plan: 'Scale', requestsPerMinute: null });
  await records.setWorkspace({ id: one, name: 'One', plan: 'trial', requestsPerMinute: 7 });
  inFile("insert into sqlite_sequence values ('keys', 39)");
  const keys = [
    await make(records, two, 'für montags'),
    await make(records, two, null),
    await make(records, one, ''),
  ];
  const [used, , revoked] = keys;
  await records.admit([
    { hash: used!.hash, requests: 3 },
    { hash: revoked!.hash, requests: 1 },
  ]);
  await records.revokeKey(revoked!.prefix);
  await records.keepCheckpoint('sightline.example/log', 7, 'a note\n');
  return { records, hashes: keys.map(({ hash }) => hash) };
}

describe('a copy from SQLite to PostgreSQL', () => {
  test('lists and admits like the source, with the same ids and counts, and continues its numbers', async () => {
    const { records, hashes } = await fill();
    const report = await copyRecords(path, database.url);
    expect(report.counts).toEqual({ workspaces: 2, keys: 3, revokedKeys: 1, usedKeys: 2 });
    const copied = await target();
    expect(await copied.listWorkspaces()).toEqual(await records.listWorkspaces());
    for (const id of [one, two]) expect(await copied.listKeys(id)).toEqual(await records.listKeys(id));
    expect(await copied.listCheckpoints()).toEqual(await records.listCheckpoints());
    using file = new DatabaseSync(path);
    const counted = file.prepare('select * from minute_counts order by workspace').all();
    const counts =
      'select workspace, minute, requests::integer from sightline.minute_counts order by workspace';
    expect(await database.session.ask(counts)).toEqual(counted.map((row) => ({ ...row })));
    const uses = hashes.map((hash) => ({ hash, requests: 1 }));
    const known = async (from: Records) =>
      (await from.admit(uses)).map(({ refused, keyId }) => ({ refused, keyId }));
    expect(await known(copied)).toEqual(await known(records));
    await make(copied, one, 'new');
    expect((await copied.listKeys(one)).at(-1)).toMatchObject({ id: 43, label: 'new' });
  });

  test('is refused if the target has records, which stay', async () => {
    await fill();
    const there = await target();
    await there.setWorkspace({ id: one, name: 'Mine', plan: 'scale', requestsPerMinute: null });
    await expect(copyRecords(path, database.url)).rejects.toThrow(
      /is not empty: it has 1 workspaces and 0 keys .*; nothing was copied$/,
    );
    expect(await there.listWorkspaces()).toMatchObject([{ name: 'Mine' }]);
  });

  test('that fails half-way, or loses rows, leaves the target empty, and can be repeated', async () => {
    await fill();
    await (await target()).ping();
    const broken = async (body: string) =>
      await database.session.ask(`create or replace function broken() returns trigger language plpgsql as
        $$ begin if new.id = 42 then ${body}; end if; return new; end $$;
        create or replace trigger broken before insert on sightline.keys for each row execute function broken()`);
    const left = async () => await database.session.ask('select * from sightline.workspaces');
    await broken("raise 'disk on fire'");
    await expect(copyRecords(path, database.url)).rejects.toThrow('disk on fire');
    expect(await left()).toEqual([]);
    await broken('return null');
    await expect(copyRecords(path, database.url)).rejects.toThrow(
      /got 2 workspaces and 2 keys \(0 revoked, 1 used so far\) instead of 2 workspaces and 3 keys/,
    );
    expect(await left()).toEqual([]);
    await database.session.ask('drop trigger broken on sightline.keys');
    expect((await copyRecords(path, database.url)).counts.keys).toBe(3);
  });

  test('of a missing file, or of records of another version, touches nothing', async () => {
    await expect(copyRecords(path, database.url)).rejects.toThrow('does not exist');
    expect(existsSync(path)).toBe(false);
    await (await fill()).records.close();
    inFile('pragma user_version = 999');
    await expect(copyRecords(path, database.url)).rejects.toThrow('made by a newer version of sightline');
    expect(await database.session.ask("select to_regnamespace('sightline') as found")).toEqual([
      { found: null },
    ]);
  });
});

const command = async (...args: string[]) => await runHere('records', ['copy', ...args]);

test('npm run records -- copy prints what was copied, and never a password', async () => {
  await fill();
  const from = ['--from', `sqlite:${path}`];
  const table = await command(...from, '--to', database.url);
  expect(table.stdout).toMatch(/^workspaces +keys +revoked keys +used keys\n +2 +3 +1 +2\n$/);
  expect(table.stderr).toMatch(/^copied from records file .* to records in PostgreSQL at 127\.0\.0\.1:.*\n$/);
  const failed = await command(...from, '--to', 'postgres://u:hunter2@127.0.0.1:1/x');
  expect(failed).toMatchObject({ status: 3, stdout: '' });
  expect(failed.stderr).toMatch(
    /^sightline: records in PostgreSQL at 127\.0\.0\.1:1\/x cannot be opened: .*\n$/,
  );
  expect(table.stderr + failed.stderr).not.toMatch(/secret|hunter2/);
});

test.each([
  [['--from', 'a.db', '--to', 'postgres://127.0.0.1:1/x'], 'expected sqlite:PATH'],
  [['--from', 'sqlite:a.db', '--to', 'sqlite:b.db'], 'expected postgres://…'],
])('npm run records -- copy %j is wrong usage, status 2', async (args, said) => {
  const ended = await command(...args);
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toContain(said);
});
