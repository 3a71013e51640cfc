import { execute, rowsOf } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { parquetFiles } from '../../../literals.ts';
import { makeTable, sqlNextTo } from '../../../relations.ts';
import { placeOf } from '../cycle-columns.ts';
import { noParts } from '../parts.ts';
import type { FactRelation, Parts } from '../parts.ts';

/** What some cycles of a history were reduced to. */
export interface Source {
  parts: Parts;
  /** Cycles of the history before those that it stands for; where there are any, it stands for one. */
  cyclesBefore: number;
  /** Which brands it stands for, as a condition on `brand_id`. */
  brands: string;
}

/** Consecutive brands, with their series and spellings; null where there are none. */
export interface Slice {
  firstBrand: number | null;
  lastBrand: number | null;
  firstSeries: number | null;
  lastSeries: number | null;
  firstSpelling: number | null;
  lastSpelling: number | null;
}

/** They are in memory a few times over while a slice is merged and written as documents. */
const NAMES_IN_SLICE = 750_000;

/**
 * Puts sources together in the tables `score`, `outside_run`, `history_series`, `history_result` and `history_spelling`. Names, most of all
 * rows by far, are left to {@link mergeNames}, a slice at a time.
 * @param inScope a condition on `brand_id`: of other brands only the runs are counted
 */
export async function mergeSources(
  connection: Connection,
  sources: readonly Source[],
  inScope: string,
): Promise<Slice[]> {
  await execute(connection, await sqlNextTo(import.meta, 'shapes'));
  const view = async (name: string, query: string) =>
    await execute(connection, `create or replace view ${name} as ${query}`);
  await view(
    'source_score',
    union('scores', sources, (rows, { brands }) => `from ${rows} where ${brands}`),
  );
  await view(
    'source_outside_run',
    union('outside_runs', sources, (rows, { brands }) => `from ${rows} where ${brands}`),
  );
  await view('score_in_scope', `from source_score where ${inScope}`);
  await view('score_outside', `from source_score where not (${inScope})`);
  const series = union(
    'series',
    sources,
    (rows, source, index) =>
      `select ${index} as source, series_no as source_series_no, brand_id, prompt_id, engine, ${cyclesOf(source)}
       from ${rows} where ${source.brands}`,
  );
  await view('source_series', `from (${series}) where ${inScope}`);
  await view(
    'source_result',
    union(
      'results',
      sources,
      (rows, _, index) =>
        `select ${index} as source, series_no as source_series_no, cycle_date, position from ${rows}`,
    ),
  );
  const spellings = union(
    'spellings',
    sources,
    (rows, { brands }, index) =>
      `select ${index} as source, spelling_no as source_spelling_no, * exclude (spelling_no) from ${rows} where ${brands}`,
  );
  await view('source_spelling', `from (${spellings}) where ${inScope}`);
  for (const name of ['score', 'outside-run', 'series-number', 'history-series', 'history-result']) {
    await makeTable(connection, import.meta, name);
  }
  for (const name of ['spelling-number', 'history-spelling']) await makeTable(connection, import.meta, name);
  const slices = Math.ceil((await namesIn(connection, sources)) / NAMES_IN_SLICE);
  const sql = await sqlNextTo(import.meta, 'slices');
  return await rowsOf<Slice>(connection, sql, { slices: Math.max(1, slices) });
}

/** Makes the table `slice_name`. */
export async function mergeNames(
  connection: Connection,
  sources: readonly Source[],
  { firstSeries, lastSeries, firstSpelling, lastSpelling }: Slice,
): Promise<void> {
  const series = { first_series: firstSeries ?? 0, last_series: lastSeries ?? -1 };
  const spellings = { first_spelling: firstSpelling ?? 0, last_spelling: lastSpelling ?? -1 };
  const sql = await sqlNextTo(import.meta, 'source-ranges');
  const ranges = await rowsOf<{ source: number; first: number; last: number }>(connection, sql, series);
  const names = union('names', sources, (rows, source, index) => {
    const { first, last } = ranges.find((range) => range.source === index) ?? { first: 0, last: -1 };
    return `select ${index} as source, series_no as source_series_no, spelling_no as source_spelling_no, entries,
      ${cyclesOf(source)} from ${rows} where series_no between ${first} and ${last}`;
  });
  await execute(connection, `create or replace view source_name as ${names}`);
  await makeTable(connection, import.meta, 'slice-name', { ...series, ...spellings });
}

/** One select for each source that has files of a relation. */
function union(
  relation: FactRelation,
  sources: readonly Source[],
  select: (rows: string, source: Source, index: number) => string,
): string {
  const selects = sources.flatMap((source, index) => {
    const paths = source.parts[relation];
    return paths.length === 0 ? [] : [select(parquetFiles(paths), source, index)];
  });
  const nothing: Source = { parts: noParts(), cyclesBefore: 0, brands: 'true' };
  return [...selects, select(`no_${relation}`, nothing, sources.length)].join('\nunion all by name\n');
}

/** Its columns of cycles among those of the history: the one cycle of a newer fact gets its place. */
function cyclesOf({ cyclesBefore }: Source): string {
  if (cyclesBefore === 0) return "columns('^cycles_')";
  const { column, bit } = placeOf(cyclesBefore);
  return `cycles_0 << ${bit} as ${column}`;
}

async function namesIn(connection: Connection, sources: readonly Source[]): Promise<number> {
  const paths = sources.flatMap(({ parts }) => parts.names);
  if (paths.length === 0) return 0;
  const names = `select count(*)::double as names from ${parquetFiles(paths)}`;
  const [row] = await rowsOf<{ names: number }>(connection, names);
  return row!.names;
}
