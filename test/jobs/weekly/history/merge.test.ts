import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { execute, openDatabase, rowsOf } from '../../../../jobs/duckdb.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const merge = new URL('../../../../jobs/weekly/history/merge/merge.sql', import.meta.url);

/** 200 series of a base that have one more cycle: four answers with a link for each third of them. */
const SOURCES = `
  create table series_number as
  select source, n::integer as source_series_no, n::integer as series_no
  from range(2) as sources (source), range(200) as series (n);
  create table history_result as
  select n::integer as series_no, date '2026-11-02' as cycle_date from range(200) as series (n);
  create table source_evidence as
  select
    1 as source,
    series.n::integer as series_no,
    date '2026-11-02' as cycle_date,
    timestamp '2026-11-02 06:00:00' as ran_at,
    uuid() as id,
    'https://answers.example/' || series.n as answer_url,
    null::varchar as answer_sha256
  from range(200) as series (n), range(4) as answer (n)
  where series.n % 3 = 0`;

test('the evidence of the newest cycles is never joined by date alone, which is quadratic in brands', async () => {
  using database = await openDatabase({ scratch: await temporaryFolder() });
  const connection = await database.connect();
  await execute(connection, SOURCES);
  const statements = (await readFile(merge, 'utf8')).split(';');
  const statement = statements.find((sql) => sql.includes('table history_evidence'))!;
  const [plan] = await rowsOf<{ explain_value: string }>(
    connection,
    `explain (format json) ${statement.replace(/^(--.*|\s)*/gm, '')}`,
  );
  const joins = joinsIn(JSON.parse(plan!.explain_value) as Step[]);
  expect(joins).toHaveLength(2);
  for (const conditions of joins) expect(conditions).toContain('series_no');
});

interface Step {
  children: Step[];
  extra_info: { Conditions?: string | string[] };
}

function joinsIn(steps: readonly Step[]): string[] {
  return steps.flatMap(({ children, extra_info: { Conditions: conditions } }) => [
    ...(conditions === undefined ? [] : [String(conditions)]),
    ...joinsIn(children),
  ]);
}
