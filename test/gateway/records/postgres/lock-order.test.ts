import { describe, expect, test } from 'vitest';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { admissionSettings } from '../../../../gateway/records/postgres/settings.ts';
import { readSql } from '../../../../gateway/records/sql.ts';
import { eachDatabase } from '../each-database.ts';

const database = eachDatabase();

describe('the counts of PostgreSQL records', () => {
  test.each([0, 1, 3000])(
    'are locked in the order of %i workspaces, by the plan of the statement',
    async (n) => {
      const options = { batchesAtOnce: 2, maxWaitMs: 5000 };
      await (await openPostgresRecords(database.url, options)).close();
      const make = `insert into sightline.workspaces (id, name, plan)
        select gen_random_uuid(), 'W', 'scale' from generate_series(1, $1::integer)`;
      await database.session.ask(make, n);
      await database.session.ask(
        'insert into sightline.minute_counts select number, 0, 0 from sightline.workspaces',
      );
      await database.session.ask('analyze');
      const { session } = database;
      for (const [name, value] of Object.entries(admissionSettings(5000)))
        await session.ask(`set ${name} = ${value}`);
      await session.ask(`prepare admit(text[], integer[], jsonb) as ${readSql('postgres/sql/admit')}`);
      const plan = await session.ask(`explain (costs off) execute admit('{}', '{}', '{}')`);
      const lines = plan.map((row) => String(row['QUERY PLAN']).trim());
      const update = lines.findIndex((line) => line.startsWith('->  Update on minute_counts'));
      // The outer side decides the order, and both have that of the workspaces; a bitmap or a hash would not.
      const joined = lines.slice(update + 1, update + 5).filter((line) => !line.startsWith('Join Filter'));
      const [join, ...sides] = joined.slice(0, 3);
      expect(join).toBe('->  Nested Loop');
      expect(sides.toSorted()).toEqual([
        '->  CTE Scan on added',
        '->  Index Scan using minute_counts_pkey on minute_counts',
      ]);
      const sorted = lines.slice(lines.indexOf('CTE added') + 1, lines.indexOf('CTE counted'));
      expect(sorted.join('\n')).toMatch(/Sort Key: known(?:_\d+)?\.workspace/);
    },
  );
});
