/** @module-tag slow */
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { execute, openDatabase, rowsOf } from '../../../../jobs/duckdb.ts';
import { parquetFiles } from '../../../../jobs/literals.ts';
import { reduceRuns } from '../../../../jobs/weekly/history/reduce/reduce.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const dates = ['2026-11-02', '2026-11-09', '2026-11-16'];

/** 13 brands, 3 prompts, 2 engines; some runs failed, one brand was never answered. */
const RUNS = `
  create table brand (id uuid);
  create view every_run as
  select
    ('bbbbbbbb-0000-4000-8000-' || lpad((n % 13)::varchar, 12, '0'))::uuid as brand_id,
    ('cccccccc-0000-4000-8000-' || lpad((n % 13 * 3 + n % 3)::varchar, 12, '0'))::uuid as prompt_id,
    case when n % 2 = 0 then 'chatgpt' else 'gemini' end as engine,
    date '2026-11-02' + (n % 21 // 7 * 7)::integer as cycle_date,
    case when n % 11 = 0 or n % 13 = 5 then 'failed' else 'success' end as status,
    list_transform(range(n % 5), lambda m: {
      'name': 'Name ' || (m * n % 7),
      'subject': case when m = 0 then 'brand' else 'other' end,
      'competitor_id': null::uuid,
      'position': m + 1 + n % 3
    }) as mentions,
    n as id,
    timestamp '2026-11-02 06:00:00' + to_minutes(n) as ran_at,
    'm-' || n % 2 as model,
    'https://answers.example/' || n as answer_url,
    null::varchar as answer_sha256
  from range(2000) as run (n)`;

const NAMES = `
  select brand_id, prompt_id, engine, subject, name, sum(entries)::integer as entries, bit_or(names.cycles_0)::integer as cycles
  from $names as names
  join $series as series using (series_no)
  join $spellings as spellings using (brand_id, spelling_no)
  group by all order by all`;

/** The same from the runs themselves. */
const EXPECTED_NAMES = `
  with entry as (
    select brand_id, prompt_id, engine, (cycle_date - date '2026-11-02') // 7 as place, unnest(mentions) as entry
    from every_run where status = 'success'
  )
  select brand_id, prompt_id, engine, entry.subject as subject, entry.name as name, count(*)::integer as entries,
    sum(distinct 1 << place)::integer as cycles
  from entry group by all order by all`;

async function reduced(slices: number) {
  const scratch = await temporaryFolder();
  await mkdir(scratch, { recursive: true });
  const database = await openDatabase({ scratch });
  try {
    const connection = await database.connect();
    await execute(connection, RUNS);
    const cycles = { dates, first: 0 };
    const parts = await reduceRuns(connection, { ...cycles, brands: null, slices, scratch });
    const sql = NAMES.replaceAll(
      /\$(names|series|spellings)/g,
      (_, relation: 'names' | 'series' | 'spellings') => parquetFiles(parts[relation]),
    );
    return {
      files: parts.names.length,
      names: await rowsOf(connection, sql),
      expected: await rowsOf(connection, EXPECTED_NAMES),
      scores: await rowsOf(connection, `from ${parquetFiles(parts.scores)} order by all`),
      models: await rowsOf(connection, `from ${parquetFiles(parts.models)} order by all`),
      evidence: await rowsOf(
        connection,
        `select * exclude (series_no) from ${parquetFiles(parts.evidence)} order by all`,
      ),
    };
  } finally {
    database.close();
  }
}

test('brands reduced in slices, down to one at a time, come out as all at once', async () => {
  const whole = await reduced(1);
  expect(whole.names).toEqual(whole.expected);
  expect(whole.names.length).toBeGreaterThan(100);
  expect(whole.scores).toHaveLength(13 * 2 * 3);
  expect(Math.min(whole.models.length, whole.evidence.length)).toBeGreaterThan(70);
  for (const slices of [2, 5, 13, 40]) {
    const { files, ...others } = await reduced(slices);
    expect(files).toBeGreaterThan(1);
    expect({ files: whole.files, ...others }).toEqual(whole);
  }
});
