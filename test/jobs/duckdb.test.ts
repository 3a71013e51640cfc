/** @module-tag slow */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { disabledOptimizers, execute, openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import type { Connection, Database } from '../../jobs/duckdb.ts';
import { literal } from '../../jobs/literals.ts';
import { temporaryFolder } from '../support/folder.ts';

async function openOne(): Promise<{ database: Database; folder: string } & Disposable> {
  const folder = await temporaryFolder();
  const database = await openDatabase({ scratch: join(folder, 'scratch'), threads: 1 });
  return { database, folder, [Symbol.dispose]: () => database.close() };
}

/** 3,000 rows of one week in table `t`, and a connection with which rows of the next week come after each prepare. */
async function withWriter(database: Database): Promise<Connection> {
  const [reader, writer] = [await database.connect(), await database.connect()];
  await execute(
    writer,
    `create table t as select date '2026-01-01' as week, i::integer as n from range(3000) r(i)`,
  );
  const between = Object.create(reader) as Connection;
  between.extractStatements = async (sql) => {
    const statements = await reader.extractStatements(sql);
    const prepare = async (index: number) => {
      const statement = await statements.prepare(index);
      await execute(writer, `insert into t select date '2026-01-08', i from range(5) r(i)`);
      return statement;
    };
    return { count: statements.count, prepare } as typeof statements;
  };
  return between;
}

test('rows that another connection commits between prepare and run do not get past the filter of a statement, with parameters or without', async () => {
  using opened = await openOne();
  const connection = await withWriter(opened.database);
  const fact = join(opened.folder, 'fact.parquet');
  const weeks = `select week::varchar as week, count(*)::integer as n from ${literal(fact)} group by week`;
  for (const [from, given] of [['0'], ['$from', { from: 0 }]] as const) {
    const old = `from t where week = date '2026-01-01' and n >= ${from}::integer`;
    await execute(connection, `copy (${old}) to ${literal(fact)} (format parquet)`, given);
    expect(await rowsOf(connection, weeks)).toEqual([{ week: '2026-01-01', n: 3000 }]);
  }
});

test('an aggregate over a partition that names a key twice is right, and without our setting still wrong', async () => {
  using opened = await openOne();
  const connection = await opened.database.connect();
  await execute(
    connection,
    "create table t (id bigint, name varchar, day varchar); insert into t values (null, 'a', ''), (2, 'b', '')",
  );
  const query = `
    select name, bit_and(id) over (partition by id, day) as of_id, bit_or(id) over (partition by day, day) as of_day
    from t order by name`;
  const right = [
    { name: 'a', of_id: null, of_day: 2n },
    { name: 'b', of_id: 2n, of_day: 2n },
  ];
  expect(await rowsOf(connection, query)).toEqual(right);
  // If this fails, DuckDB has mended its issue 24780, and `window_self_join` need not be disabled any more.
  const others = disabledOptimizers.filter((name) => name !== 'window_self_join');
  await execute(connection, `set global disabled_optimizers = ${literal(others.join(','))}`);
  expect(await rowsOf(connection, query)).not.toEqual(right);
});

test('after its signal was aborted, every query is interrupted', async () => {
  const [scratch, signal] = [await temporaryFolder(), AbortSignal.abort()];
  using database = await openDatabase({ scratch, threads: 1, signal });
  const connection = await database.connect();
  for (let round = 0; round < 2; round++)
    await expect(execute(connection, 'select sum(i) from range(1e12::bigint) r(i)')).rejects.toThrow(
      'INTERRUPT',
    );
});

test('a query that names an extension does not make the process download or load it', async () => {
  using opened = await openOne();
  const connection = await opened.database.connect();
  const written = execute(connection, "copy (select 1) to 'book.xlsx' (format xlsx)");
  await expect(written).rejects.toThrow(/Copy Function with name "?xlsx"? /);
});

test('a database with restricted access reads and writes what it names, nothing else, uses no more memory, and cannot be told otherwise', async () => {
  const folder = await temporaryFolder();
  const [named, inside, beside] = ['named.csv', 'inside/file.csv', 'inside-not.csv'].map((file) =>
    join(folder, file),
  );
  mkdirSync(join(folder, 'inside'));
  for (const file of [named!, inside!, beside!]) writeFileSync(file, 'n\n1\n');
  const access = { files: [named!], folders: [join(folder, 'inside')] };
  const memoryBytes = 64 << 20;
  using database = await openDatabase({ scratch: join(folder, 'scratch'), threads: 1, access, memoryBytes });
  const connection = await database.connect();
  const limit = "select current_setting('memory_limit') as memory";
  expect(await rowsOf(connection, limit)).toEqual([{ memory: '64.0 MiB' }]);
  const read = async (file: string) => await rowsOf(connection, `from read_csv(${literal(file)})`);
  expect([await read(named!), await read(inside!)]).toEqual([[{ n: 1n }], [{ n: 1n }]]);
  await expect(read(beside!)).rejects.toThrow('Permission Error');
  await expect(execute(connection, 'set global enable_external_access = true')).rejects.toThrow('locked');
});
