/** @module-tag long */
import { copyFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { backUpSqlite } from '../../../../gateway/records/sqlite/backup.ts';
import { ORIGIN, testLog } from '../../../snapshots/publish.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { runHere } from '../../../support/command-line.ts';
import { startGatewayProcess } from '../../../support/program.ts';
import type { Ended } from '../../../support/program.ts';
import { settingsOf } from '../../gateway.ts';
import { acme, publishBrands } from '../../snapshots.ts';

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
  const log = await testLog(folder);
  await publishBrands(log, workspace, [acme]);
  const settings = { RECORDS_URL: `sqlite:${records}`, ...settingsOf(log) };
  return { settings, records, copy: join(folder, 'copy.db') };
}

const copiesIn = (place: Place) => readdirSync(dirname(place.copy)).filter((name) => name.startsWith('copy'));

async function run({ settings }: Place, ...args: string[]): Promise<Ended> {
  return await runHere('records', args, { settings });
}

async function newKey(place: Place): Promise<string> {
  await run(place, 'workspace', 'set', workspace, '--name', 'One', '--plan', 'enterprise');
  return (await run(place, 'key', 'create', workspace)).stdout.trim();
}

async function startGateway({ settings }: Place) {
  const gateway = await startGatewayProcess(settings);
  const ask = async (key: string) =>
    (await fetch(`${gateway.url}/api/v1/brands`, { headers: { 'x-api-key': key } })).status;
  return { ask, ended: gateway.ended, child: gateway.child };
}

describe('records -- backup', () => {
  test('of a busy gateway is complete, for its owner only, and in the place of the records it admits the keys of its time', async () => {
    const place = await newPlace();
    const [old, revoked] = [await newKey(place), await newKey(place)];
    await run(place, 'key', 'revoke', revoked.slice(0, 12));
    const busy = await startGateway(place);
    const enough = new AbortController();
    const asking = Array.from({ length: 4 }, async () => {
      while (!enough.signal.aborted) await busy.ask(old);
    });
    const made = await run(place, 'backup', '--to', place.copy, '--json');
    enough.abort();
    await Promise.all(asking);
    expect(made.stderr).toBe('');
    expect(JSON.parse(made.stdout)).toMatchObject({ path: place.copy, workspaces: 1, keys: 2 });
    expect(statSync(place.copy).mode & 0o777).toBe(0o600);
    expect(copiesIn(place)).toEqual(['copy.db']);
    const copy = { ...place, settings: { RECORDS_URL: `sqlite:${place.copy}` } };
    const remembered = await run(copy, 'log', 'show', '--json');
    expect(JSON.parse(remembered.stdout)).toMatchObject([{ origin: ORIGIN, size: 2 }]);
    const later = await newKey(place);
    busy.child.kill('SIGTERM');
    await busy.ended;
    copyFileSync(place.copy, place.records);
    const { ask } = await startGateway(place);
    expect([await ask(old), await ask(revoked), await ask(later)]).toEqual([200, 401, 401]);
  });

  test('of several to one file at once, one succeeds', async () => {
    const place = await newPlace();
    await newKey(place);
    const made = await Promise.allSettled([1, 2, 3].map(() => backUpSqlite(place.records, place.copy)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(copiesIn(place)).toEqual(['copy.db']);
  });
});

describe('refused, with status 1 and one line, and no file is written:', () => {
  test('a backup to an existing file, which stays', async () => {
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

  const spoilt: Record<string, (path: string) => void> = {
    'database disk image is malformed': (path) => truncateSync(path, statSync(path).size - 4096),
    'is damaged': damage,
    'made by a newer version': (path) => new DatabaseSync(path).exec('pragma user_version = 99'),
    'does not exist': (path) => rmSync(path),
  };
  test.each(Object.entries(spoilt))('a backup of spoilt records: %s', async (said, spoil) => {
    const place = await newPlace();
    await newKey(place);
    spoil(place.records);
    const { status, stderr } = await run(place, 'backup', '--to', place.copy);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^sightline: records file [^\n]*\n$/);
    expect(stderr).toContain(said);
    expect(copiesIn(place)).toEqual([]);
  });

  test('a backup of PostgreSQL, which has its own tools', async () => {
    const place = await newPlace();
    const settings = { RECORDS_URL: 'postgres://127.0.0.1:1/none' };
    const { status, stderr } = await run({ ...place, settings }, 'backup', '--to', place.copy);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'sightline: RECORDS_URL is not sqlite:PATH; pg_dump backs up PostgreSQL\n',
    });
  });
});
