/** @module-tag long */
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { readSql } from '../../../../gateway/records/sql.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { runHere } from '../../../support/command-line.ts';
import { eachDatabase } from '../each-database.ts';

const id = '11111111-1111-4111-8111-111111111111';
const run = async (url: string, ...args: string[]) =>
  await runHere('records', args, { settings: { RECORDS_URL: url } });
const set = ['workspace', 'set', id, '--name', 'One', '--plan', 'agency'];

/** Commands that need records and must not make or change their schema. */
const managing = [
  ['workspace', 'list'],
  ['key', 'list', id],
  ['key', 'create', id],
  ['key', 'revoke', 'vis_00000000'],
  ['log', 'show'],
  ['log', 'forget', 'sightline.example/log'],
];
const remedy =
  'correct RECORDS_URL, or create the records with "npm run records -- migrate" or "workspace set"';
const failure = (line: string) => ({ status: 1, stdout: '', stderr: `sightline: ${line}\n` });

describe('a SQLite file', () => {
  test('that does not exist, or is empty, is not made into records by commands that only manage them', async () => {
    const folder = join(await temporaryFolder(), 'below');
    const path = join(folder, 'records.db');
    const complaint = (what: string) => failure(`records file ${path} ${what}: ${remedy}`);
    for (const args of managing)
      expect(await run(`sqlite:${path}`, ...args)).toEqual(complaint('does not exist'));
    expect(existsSync(folder)).toBe(false);
    await mkdir(folder);
    await writeFile(path, '');
    for (const args of managing)
      expect(await run(`sqlite:${path}`, ...args)).toEqual(complaint('contains no records'));
    expect((await stat(path)).size).toBe(0);
  });

  test.each([set, ['migrate']])('is created by %s', async (...args) => {
    const path = join(await temporaryFolder(), 'below', 'records.db');
    expect(await run(`sqlite:${path}`, ...args)).toMatchObject({ status: 0 });
    expect(await run(`sqlite:${path}`, 'workspace', 'list')).toMatchObject({ status: 0 });
  });

  test('of another program is refused by commands and gateways, and not changed', async () => {
    const path = join(await temporaryFolder(), 'shop.db');
    const shop = new DatabaseSync(path);
    shop.exec('create table orders (id integer); create table keys (id integer)');
    shop.close();
    const before = await readFile(path);
    const line = `records file ${path} is the database of another program or of an unreleased version`;
    for (const args of [...managing, set, ['migrate']]) {
      expect(await run(`sqlite:${path}`, ...args)).toEqual(failure(line));
    }
    expect(() => openSqliteRecords(path, { clock: systemClock })).toThrow(line);
    expect(await readFile(path)).toEqual(before);
  });
});

describe('a PostgreSQL database', () => {
  const database = eachDatabase();
  const nameOf = () => {
    const { host, pathname } = new URL(database.url);
    return `records in PostgreSQL at ${host}${pathname}`;
  };
  const isThere = async () => {
    const [row] = await database.session.ask("select to_regnamespace('sightline') is not null as there");
    return row!['there'];
  };

  test('without records is left empty by commands that only manage them, and by a gateway', async () => {
    const line = `${nameOf()} contains no records: ${remedy}`;
    for (const args of managing) expect(await run(database.url, ...args)).toEqual(failure(line));
    const serve = async () =>
      await openPostgresRecords(database.url, { purpose: 'serve', batchesAtOnce: 2, maxWaitMs: 5000 });
    await expect(serve()).rejects.toMatchObject({ name: 'Failure', message: line });
    expect(await isThere()).toBe(false);
    await database.session.ask(`create schema sightline; ${readSql('postgres/sql/create-migrations')}`);
    await expect(serve()).rejects.toMatchObject({ name: 'Failure', message: line });
  });

  test('that a gateway cannot write is refused, with the remedy', async () => {
    const options = { purpose: 'serve' as const, batchesAtOnce: 2, maxWaitMs: 5000 };
    await (await openPostgresRecords(database.url, { ...options, purpose: 'create' })).close();
    await database.session.ask(`
      drop role if exists looker;
      create role looker login password 'secret';
      grant usage on schema sightline to looker;
      grant select on all tables in schema sightline to looker`);
    const address = database.url.replace('sightline:', 'looker:');
    await expect(openPostgresRecords(address, options)).rejects.toMatchObject({
      name: 'Failure',
      message: expect.stringContaining(
        'cannot be written: this user may not count requests, or not keep checkpoints (grant select',
      ) as string,
    });
    const ended = await run(address, ...set);
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^sightline: records in PostgreSQL at .* cannot be used: permission denied .*\n$/,
    );
    await database.session.ask('drop owned by looker; drop role looker');
  });
});
