/** @module-tag long */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
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

const source = (): Records => {
  const records = openSqliteRecords(path, { clock: systemClock });
  onTestFinished(() => records.close().catch(() => undefined)); // most are closed before
  return records;
};
const target = async (): Promise<Records> => {
  const records = await openPostgresRecords(database.url, { batchesAtOnce: 1, maxWaitMs: 5000 });
  onTestFinished(() => records.close());
  return records;
};
const inFile = (statement: string) => {
  const file = new DatabaseSync(path);
  file.exec(statement);
  file.close();
};
const make = async (records: Records, workspace: string, label: string | null) => {
  const stored = storedForm(newKey());
  await records.createKey(workspace, stored, label);
  return stored;
};

/** Two workspaces; keys that were labelled, used, revoked; ids from 40 on. */
async function fill() {
  const records = source();
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

const known = (standings: unknown) =>
  (standings as { refused: string | null; keyId: number; limit?: number }[]).map(
    ({ refused, keyId, limit }) => ({
      refused,
      keyId,
      limit,
    }),
  );

describe('a copy from SQLite to PostgreSQL', () => {
  test('lists and admits like the source, with the same ids and counts, and continues its numbers', async () => {
    const { records, hashes } = await fill();
    const report = await copyRecords(path, database.url);
    expect(report.counts).toEqual({ workspaces: 2, keys: 3, revokedKeys: 1, usedKeys: 2 });
    const copied = await target();
    expect(await copied.listWorkspaces()).toEqual(await records.listWorkspaces());
    for (const id of [one, two]) expect(await copied.listKeys(id)).toEqual(await records.listKeys(id));
    expect(await copied.listCheckpoints()).toEqual(await records.listCheckpoints());
    expect((await copied.listKeys(two)).map(({ id }) => id)).toEqual([40, 41]);
    const counts =
      'select workspace, minute, requests::integer from sightline.minute_counts order by workspace';
    const file = new DatabaseSync(path);
    const counted = file.prepare('select * from minute_counts order by workspace').all();
    file.close();
    expect(await database.session.ask(counts)).toEqual(counted.map((row) => ({ ...row })));
    const uses = hashes.map((hash) => ({ hash, requests: 1 }));
    expect(known(await copied.admit(uses))).toEqual(known(await records.admit(uses)));
    await make(copied, one, 'new');
    expect((await copied.listKeys(one)).at(-1)).toMatchObject({ id: 43, label: 'new' });
    const three = '33333333-3333-4333-8333-333333333333';
    await copied.setWorkspace({ id: three, name: 'Three', plan: 'agency', requestsPerMinute: null });
    expect(await copied.listWorkspaces()).toHaveLength(3);
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

  test('is as of one instant, even if a gateway counts meanwhile', async () => {
    const records = source();
    const hashes: string[] = [];
    for (const id of [one, two]) {
      await records.setWorkspace({ id, name: 'W', plan: 'agency', requestsPerMinute: null });
      hashes.push((await make(records, id, null)).hash);
    }
    const enough = new AbortController();
    // One transaction increments both counts equally.
    const admitting = (async () => {
      while (!enough.signal.aborted) {
        await records.admit(hashes.map((hash) => ({ hash, requests: 1 })));
        await new Promise(setImmediate);
      }
    })();
    try {
      for (let round = 0; round < 5; round += 1) {
        const url = await database.server.createDatabase();
        await copyRecords(path, url);
        const copied = await openPostgresRecords(url, { batchesAtOnce: 1, maxWaitMs: 5000 });
        const [a, b] = await copied.admit(hashes.map((hash) => ({ hash, requests: 1 })));
        expect(a).toMatchObject({ used: (b as { used: number }).used });
        await copied.close();
      }
    } finally {
      enough.abort();
      await admitting;
    }
  });

  test('keeps any texts', async () => {
    const text = fc.string({ unit: 'binary' }).filter((made) => !made.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.uuid(), text, text, fc.option(text), async (id, name, plan, label) => {
        path = join(await temporaryFolder(), 'records.db');
        const records = source();
        await records.setWorkspace({ id, name, plan, requestsPerMinute: null });
        await make(records, id, label);
        const url = await database.server.createDatabase();
        await copyRecords(path, url);
        const copied = await openPostgresRecords(url, { batchesAtOnce: 1, maxWaitMs: 5000 });
        expect(await copied.listWorkspaces()).toEqual(await records.listWorkspaces());
        expect(await copied.listKeys(id)).toEqual(await records.listKeys(id));
        await Promise.all([copied.close(), records.close()]);
      }),
      { numRuns: 8 },
    );
  });

  test('of a missing file, or of records of another version, touches nothing', async () => {
    await expect(copyRecords(path, database.url)).rejects.toThrow('does not exist');
    expect(existsSync(path)).toBe(false);
    await (await fill()).records.close();
    inFile('pragma user_version = 999');
    await expect(copyRecords(path, database.url)).rejects.toThrow('made by a newer version of sightline');
    inFile('pragma user_version = 0');
    await expect(copyRecords(path, database.url)).rejects.toThrow('contains no records');
    expect(await database.session.ask("select to_regnamespace('sightline') as found")).toEqual([
      { found: null },
    ]);
  });
});

const command = async (...args: string[]) => await runHere('records', ['copy', ...args]);

describe('npm run records -- copy', () => {
  test('prints what was copied, as a table or as JSON, and never a password', async () => {
    await fill();
    const [first, second] = [database.url, await database.server.createDatabase()];
    const table = await command('--from', `sqlite:${path}`, '--to', first);
    expect(table.stdout).toMatch(/^workspaces +keys +revoked keys +used keys\n +2 +3 +1 +2\n$/);
    expect(table.stderr).toMatch(
      /^copied from records file .* to records in PostgreSQL at 127\.0\.0\.1:.*\n$/,
    );
    const json = await command('--from', `sqlite:${path}`, '--to', second, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ counts: { workspaces: 2, keys: 3 } });
    expect(table.stderr + json.stderr + json.stdout).not.toContain('secret');
  });

  test.each([
    [['--from', 'sqlite:a.db'], '--to'],
    [['--from', 'a.db', '--to', 'postgres://127.0.0.1:1/x'], 'expected sqlite:PATH'],
    [['--from', 'sqlite:a.db', '--to', 'sqlite:b.db'], 'expected postgres://…'],
  ])('%j is wrong usage, status 2', async (args, said) => {
    const ended = await command(...args);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toContain(said);
  });

  test('a database that does not respond is one line, without its password, and status 3', async () => {
    await (await fill()).records.close();
    const ended = await command('--from', `sqlite:${path}`, '--to', 'postgres://u:hunter2@127.0.0.1:1/x');
    expect(ended).toMatchObject({ status: 3, stdout: '' });
    expect(ended.stderr).toMatch(
      /^sightline: records in PostgreSQL at 127\.0\.0\.1:1\/x cannot be opened: .*\n$/,
    );
    expect(ended.stderr).not.toContain('hunter2');
  });
});
