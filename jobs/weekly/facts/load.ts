import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, parquetFiles, readSql } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { localPaths } from '../../lake/local.ts';
import { baseTables, factTables, tableKey } from './plan.ts';
import type { Plan } from './plan.ts';

/** Cycles that a HUGEINT holds as bits (jobs/sql/weekly/reduce.sql). */
const CYCLES_IN_ERA = 120;

/** Reduces the history to the tables of reduce.sql: from the base, the facts and the runs that the plan names. */
export async function loadHistory(
  connection: Connection,
  lake: ObjectStore,
  plan: Plan,
  scratch: string,
): Promise<void> {
  for (const [cycleNo, { date }] of plan.cycles.entries()) {
    await execute(connection, 'insert into cycle values ($cycle_no, $date::date)', {
      cycle_no: cycleNo,
      date,
    });
  }
  const view = async (name: string, prefixes: readonly string[], table: string) => {
    const keys = prefixes.map((prefix) => ({ key: tableKey(prefix, table) }));
    const paths = await localPaths(lake, keys, scratch);
    const source = paths.length === 0 ? `no_${name}` : parquetFiles(paths);
    await execute(connection, `create view ${name} as from ${source}`);
  };
  const facts = plan.reduced.map((cycle) => cycle.fact);
  for (const table of factTables) await view(`fact_${table}`, facts, table);
  for (const table of baseTables) await view(`base_${table}`, plan.base === null ? [] : [plan.base], table);
  const dates = plan.unreduced.map((cycle) => `date '${cycle.date}'`);
  await execute(
    connection,
    `create view unreduced as from run where ${dates.length === 0 ? 'false' : `cycle_date in (${dates.join(', ')})`}`,
  );
  await execute(connection, await readSql('weekly/reduce'));
}

/** Finds who was named in the published series: names.sql with a set of cycles for each era of the history. */
export async function nameSeries(connection: Connection, { cycles }: Plan): Promise<void> {
  const eras = Array.from({ length: Math.max(1, Math.ceil(cycles.length / CYCLES_IN_ERA)) }, (_, era) => era);
  const sets = eras.map((era) => `coalesce(bit_or(cycles) filter (where era = ${era}), 0) as cycles_${era}`);
  const counts = eras.map((era) => `bit_count(bit_or(cycles_${era}))`);
  const sql = (await readSql('weekly/names'))
    .replace('{cycles_by_era}', sets.join(', '))
    .replace('{cycle_count}', `(${counts.join(' + ')})::integer`);
  await execute(connection, sql);
}
