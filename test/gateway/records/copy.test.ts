/** @module-tag long */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { storedForm } from '../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../gateway/records/postgres/records.ts';
import type { Records } from '../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../lib/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runHere } from '../../support/command-line.ts';
import { one, two } from './contract.ts';
import { eachDatabase } from './each-database.ts';

const database = eachDatabase();
let path: string;
beforeEach(async () => {
  path = join(await temporaryFolder(), 'records.db');
});

const copy = async (to = database.url) =>
  await runHere('records', ['copy', '--from', `sqlite:${path}`, '--to', to]);
const target = async (): Promise<Records> => {
  const records = await openPostgresRecords(database.url, { batchesAtOnce: 1, maxWaitMs: 5000 });
  onTestFinished(() => records.close());
  return records;
};
const inFile = (statement: string) => {
  using file = new DatabaseSync(path);
  file.exec(statement);
};

/** Two workspaces; keys that were labelled, used, revoked; ids from 40 on. */
async function fill() {
  const records = openSqliteRecords(path, { clock: systemClock });
  onTestFinished(() => records.close());
  await records.setWorkspace({ id: two, name: 'Zwölf "GmbH" 🏷', plan: 'Scale', requestsPerMinute: null });
  await records.setWorkspace({ id: one, name: 'One', plan: 'trial', requestsPerMinute: 7 });
  inFile("insert into sqlite_sequence values ('keys', 39)");
  const keys = [await records.makeKey(two, 'für montags'), await records.makeKey(two, null)];
  keys.push(await records.makeKey(one, ''));
  const hashes = keys.map(({ key }) => storedForm(key).hash);
  await records.admit([
    { hash: hashes[0]!, requests: 3 },
    { hash: hashes[2]!, requests: 1 },
  ]);
  await records.revokeKey(keys[2]!.made.prefix);
  await records.keepCheckpoint('sightline.example/log', 7, 'a note\n');
  return { records, hashes };
}

describe('a copy from SQLite to PostgreSQL', () => {
  test('lists and admits like the source, with the same ids and counts, continues its numbers, and is never repeated', async () => {
    const { records, hashes } = await fill();
    const { stdout, stderr } = await copy();
    expect(stdout).toMatch(/^workspaces +keys +revoked keys +used keys\n +2 +3 +1 +2\n$/);
    expect(stderr).toMatch(/^copied from records file .* to records in PostgreSQL at 127\.0\.0\.1:.*\n$/);
    expect(stderr).not.toContain('secret');
    const copied = await target();
    expect(await copied.listWorkspaces()).toEqual(await records.listWorkspaces());
    for (const id of [one, two]) expect(await copied.listKeys(id)).toEqual(await records.listKeys(id));
    expect(await copied.listCheckpoints()).toEqual(await records.listCheckpoints());
    using file = new DatabaseSync(path);
    const counted = file.prepare('select minute, requests from minute_counts order by workspace').all();
    const counts = 'select minute, requests::integer from sightline.minute_counts order by workspace';
    expect(await database.session.ask(counts)).toEqual(counted.map((row) => ({ ...row })));
    const uses = hashes.map((hash) => ({ hash, requests: 1 }));
    const [standings, before] = [await copied.admit(uses), await records.admit(uses)];
    expect(standings.map(({ keyId }) => keyId)).toEqual(before.map(({ keyId }) => keyId));
    expect(standings.map(({ refused }) => refused)).toEqual([null, null, 'invalid_key']);
    expect((await copied.makeKey(one, 'new')).made).toMatchObject({ id: 43, label: 'new' });
    const again = await copy();
    expect(again.status).toBe(1);
    expect(again.stderr).toMatch(/is not empty: it has 2 workspaces and 4 keys .*; nothing was copied\n$/);
  });

  test('of a missing file, of records of another version, or to a server that is away, touches nothing', async () => {
    expect((await copy()).stderr).toContain('does not exist');
    expect(existsSync(path)).toBe(false);
    await fill();
    const failed = await copy('postgres://u:hunter2@127.0.0.1:1/x');
    expect(failed).toMatchObject({ status: 3, stdout: '' });
    const complaint = /^sightline: records in PostgreSQL at 127\.0\.0\.1:1\/x cannot be opened: .*\n$/;
    expect(failed.stderr).toMatch(complaint);
    expect(failed.stderr).not.toContain('hunter2');
    inFile('pragma user_version = 999');
    expect((await copy()).stderr).toContain('made by a newer version of sightline');
    const found = await database.session.ask("select to_regnamespace('sightline') as found");
    expect(found).toEqual([{ found: null }]);
  });
});
