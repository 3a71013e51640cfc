import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execute, openDatabase, readSql, rowsOf } from '../../../jobs/duckdb.ts';
import { openNamesFile } from '../../../jobs/weekly/facts/names-file.ts';
import { ownSchema } from '../../../jobs/weekly/facts/own-schema.ts';
import { reduceCycles } from '../../../jobs/weekly/facts/reduce.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { meaningOf } from './arbitrary-names.ts';

const dates = ['2026-11-02', '2026-11-09', '2026-11-16'];

/** 13 brands, 3 prompts, 2 engines; some runs failed, one brand was never answered. */
const RUNS = `
  create view cycle_run as
  select
    ('bbbbbbbb-0000-4000-8000-' || lpad((n % 13)::varchar, 12, '0'))::uuid as brand_id,
    ('cccccccc-0000-4000-8000-' || lpad((n % 13 * 3 + n % 3)::varchar, 12, '0'))::uuid as prompt_id,
    case when n % 2 = 0 then 'chatgpt' else 'gemini' end as engine,
    date '2026-11-02' + (n % 21 // 7 * 7)::integer as cycle_date,
    case when n % 11 = 0 or n % 13 = 5 then 'failed' else 'success' end as status,
    list_transform(range(n % 5), lambda m: {
      'name': 'Name ' || (m * n % 7),
      'subject': case when m = 0 then 'brand' else 'other' end,
      'competitor_id': null::uuid
    }) as mentions
  from range(2000) as run (n)`;

async function reduced(slices: number) {
  const scratch = await temporaryFolder();
  const database = await openDatabase({ scratch });
  try {
    const connection = await database.connect();
    for (const name of ['macros', 'weekly/tracked', 'weekly/score'])
      await execute(connection, await readSql(name));
    await execute(connection, RUNS);
    const path = join(scratch, 'names.bin');
    await reduceCycles(await ownSchema(database, 'reduction'), dates, slices, path);
    const file = openNamesFile(path);
    const names = file.brandIds.map((id) => [id, meaningOf(file.names(id)!)]);
    file.close();
    const scores = await rowsOf(connection, 'from reduction.reduced_score order by all');
    return { names, scores };
  } finally {
    database.close();
  }
}

test('brands reduced in slices, down to one at a time, come out as all at once', async () => {
  const whole = await reduced(1);
  expect(whole.names).toHaveLength(12);
  expect(whole.scores).toHaveLength(13 * 2 * 3);
  for (const slices of [2, 5, 13, 40]) expect(await reduced(slices)).toEqual(whole);
});
