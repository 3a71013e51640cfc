import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, parquetFiles, readSql } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { localPaths } from '../../lake/local.ts';
import { scoresKey, seriesKey } from './plan.ts';
import type { Plan } from './plan.ts';

/** Reduces the history to the tables of reduce.sql: from the base, the facts and the runs that the plan names. */
export async function loadHistory(
  connection: Connection,
  lake: ObjectStore,
  plan: Plan,
  scratch: string,
): Promise<void> {
  const fileTable = async (keys: readonly string[], otherwise: string) => {
    const paths = await localPaths(
      lake,
      keys.map((key) => ({ key })),
      scratch,
    );
    return paths.length === 0 ? otherwise : parquetFiles(paths);
  };
  for (const [cycleNo, { date }] of plan.cycles.entries()) {
    await execute(connection, 'insert into cycle values ($cycle_no, $date::date)', {
      cycle_no: cycleNo,
      date,
    });
  }
  const facts = await fileTable(
    plan.reduced.map((cycle) => cycle.factKey),
    'no_fact',
  );
  const series = await fileTable(plan.baseKey === null ? [] : [seriesKey(plan.baseKey)], 'no_base_series');
  const scores = await fileTable(plan.baseKey === null ? [] : [scoresKey(plan.baseKey)], 'no_base_score');
  const dates = plan.unreduced.map((cycle) => `date '${cycle.date}'`);
  await execute(
    connection,
    `create view fact as from ${facts};
     create view base_series as from ${series};
     create view base_scores as from ${scores};
     create view unreduced as from run where ${dates.length === 0 ? 'false' : `cycle_date in (${dates.join(', ')})`}`,
  );
  await execute(connection, await readSql('weekly/reduce'));
}

/** The number of eras that the sets of cycles are cut into: 120 cycles each. */
export function erasOf(plan: Plan): number {
  return Math.max(1, Math.ceil(plan.cycles.length / 120));
}

/** Who was named in the published series, by each era's set of cycles. */
export async function nameSeries(connection: Connection, plan: Plan): Promise<void> {
  const eras = Array.from({ length: erasOf(plan) }, (_, era) => era);
  const byEra = eras.map((era) => `coalesce(bit_or(cycles) filter (where era = ${era}), 0) as cycles_${era}`);
  const count = eras.map((era) => `bit_count(bit_or(cycles_${era}))`);
  const sql = (await readSql('weekly/names'))
    .replace('{cycles_by_era}', byEra.join(', '))
    .replace('{cycle_count}', `(${count.join(' + ')})::integer`);
  await execute(connection, sql);
}
