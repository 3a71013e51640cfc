/** @module-tag long */
import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, storedForm } from '../../../../gateway/admission/keys.ts';
import { copyStatements } from '../../../../gateway/records/copy/content.ts';
import { runProgram } from '../../../support/program.ts';
import { startPostgres } from '../../../support/postgres.ts';
import type { TestPostgres } from '../../../support/postgres.ts';
import { copy, everything, fill, newAddress, open, sql, tables } from '../copying.ts';
import type { Kind } from '../copying.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
const command = async (...args: string[]) => await runProgram('gateway/records/commands/cli.ts', args, {});
const make = (kind: Kind) => newAddress(kind, server);

describe('a copy', () => {
  const sides = (['sqlite', 'postgres'] as const).map((kind) => ({ kind }));

  test.each(sides)('of $kind records onto themselves is refused', async ({ kind }) => {
    const address = await make(kind);
    await fill(address);
    const again =
      kind === 'sqlite' ? address.replace('below/', 'below/../below/') : `${address}?application_name=other`;
    await expect(copy(address, again)).rejects.toThrow('is source and target of the copy');
  });

  test.each(sides)('of $kind records of a newer or an older version is refused', async ({ kind }) => {
    const [source, target] = [await make(kind), await make('sqlite')];
    await fill(source);
    await sql(source, 'pragma user_version = 999', "insert into sightline.migrations values (999, 'later')");
    await expect(copy(source, target)).rejects.toThrow('made by a newer version of sightline');
    await sql(source, 'pragma user_version = 0', 'delete from sightline.migrations');
    await expect(copy(source, target)).rejects.toThrow('contains no records');
    expect(existsSync(target.slice('sqlite:'.length))).toBe(false);
  });

  test.each(sides)('into $kind records of a newer version is refused', async ({ kind }) => {
    const [source, target] = [await make('sqlite'), await make(kind)];
    await fill(source);
    await (await open(target)).close();
    await sql(target, 'pragma user_version = 999', "insert into sightline.migrations values (999, 'later')");
    await expect(copy(source, target)).rejects.toThrow('made by a newer version of sightline');
  });

  test('from a missing source creates neither side', async () => {
    const [source, target] = [await make('sqlite'), await make('sqlite')];
    await expect(copy(source, target)).rejects.toThrow('does not exist');
    expect([source, target].map((address) => existsSync(address.slice('sqlite:'.length)))).toEqual([
      false,
      false,
    ]);
  });

  test('includes every column', async () => {
    const address = await server.createDatabase();
    await (await open(address)).close();
    const columns = await sql(
      address,
      '',
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'sightline' and table_name not in ('migrations', 'batch_uses') order by 1`,
    );
    const read = Object.values(tables).flatMap((text) => {
      const [, names, table] = /^select (.*) from (\w+)/.exec(text)!;
      return names!.split(', ').map((name) => `${table}.${name}`);
    });
    // For a new column, change the statements read-*.sql and copy-*.sql, and `tables` above. read-keys.sql reads
    // batch_uses as last uses.
    expect(columns.map((row) => (row as { name: string }).name)).toEqual(read.toSorted());
  });

  test('writes long tables in several statements', () => {
    const keys = Array.from({ length: 12_000 }, (_, id) => ({ id }));
    const content = { plans: [], workspaces: [], keys } as unknown as Parameters<typeof copyStatements>[0];
    const written = [...copyStatements(content)].map(([name, rows]) => [
      name,
      (JSON.parse(rows) as unknown[]).length,
    ]);
    const parts = [5000, 5000, 2000];
    expect(written).toEqual(
      ['copy/copy-keys', 'copy/copy-uses'].flatMap((name) => parts.map((n) => [name, n])),
    );
  });

  test('there and back gives the same bytes, for any texts', async () => {
    const text = fc.string({ unit: 'binary' }).filter((made) => !made.includes('\0'));
    const workspace = fc.record({
      id: fc.uuid(),
      name: text,
      plan: text,
      requestsPerMinute: fc.option(fc.integer({ min: 1, max: 1_000_000_000 })),
    });
    const records = fc.array(fc.tuple(workspace, fc.array(fc.option(text), { maxLength: 3 })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(records, async (made) => {
        const [first, middle, last] = [await make('sqlite'), await make('postgres'), await make('sqlite')];
        const opened = await open(first);
        for (const [settings, labels] of made) {
          await opened.setWorkspace(settings);
          for (const label of labels) await opened.createKey(settings.id, storedForm(newKey()), label);
        }
        await opened.close();
        await copy(first, middle);
        await copy(middle, last);
        expect(await everything(last)).toEqual(await everything(first));
      }),
      { numRuns: 8 },
    );
  });
});

describe('npm run records -- copy', () => {
  test('prints what was copied, as a table or as JSON, and never a password', async () => {
    const [source, target] = [await make('sqlite'), await make('postgres')];
    await fill(source);
    const first = await command('copy', '--from', source, '--to', target);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(/^keys +3 +3$/m);
    expect(first.stderr).toMatch(
      /^copied from records file .* to records in PostgreSQL at 127\.0\.0\.1:.*\n$/,
    );
    const again = await command('copy', '--from', source, '--to', target, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ isNew: false, counts: expect.any(Array) as unknown });
    expect(again.stderr).toMatch(/^nothing to do: /);
    expect(first.stderr + again.stderr + again.stdout).not.toContain('secret');
  });

  test.each([
    [['copy', '--from', 'sqlite:a.db'], '--to'],
    [['copy', '--from', 'a.db', '--to', 'sqlite:b.db'], 'expected sqlite:PATH or postgres://…'],
  ])('%j is wrong usage, status 2', async (args, said) => {
    const ended = await command(...args);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toContain(said);
  });

  test('a database that does not respond is one line, without its password, and status 1', async () => {
    const ended = await command(
      'copy',
      '--from',
      'postgres://u:hunter2@127.0.0.1:1/x',
      '--to',
      'sqlite:b.db',
    );
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /^sightline: records in PostgreSQL at 127\.0\.0\.1:1\/x cannot be read: .*\n$/,
    );
    expect(ended.stderr).not.toContain('hunter2');
  });
});
