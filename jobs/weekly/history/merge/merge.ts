import { execute } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { parquetFiles } from '../../../literals.ts';
import { countRows, makeTable, runScript, selectRows } from '../../../relations.ts';
import type { BaseRelation, Parts } from '../parts.ts';

/** What some cycles of a history were reduced to. */
export interface Source {
  parts: Parts;
  /** Which of its brands count, as a condition on `brand_id`. */
  brands: string;
}

/** Consecutive brands, their series and spellings, as parameters of queries. Empty ranges end below their beginning. */
export type Slice = Record<`${'first' | 'last'}_${'brand' | 'series' | 'spelling'}`, number>;

/** Several copies are in memory while a slice is merged and written as documents. */
const NAMES_IN_SLICE = 750_000;

/**
 * Merges sources into the tables `score`, `model`, `outside_run`, `history_series`, `history_result`, `history_evidence` and
 * `history_spelling`. Names, by far the most rows, are left to {@link mergeNames}, a slice at a time. Needs the table
 * `history_cycle`.
 * @param onlyPublished of other brands only the runs are counted
 */
export async function mergeSources(
  connection: Connection,
  sources: readonly Source[],
  onlyPublished: boolean,
): Promise<Slice[]> {
  for (const relation of ['scores', 'models', 'outside_runs', 'series', 'spellings'] as const)
    await viewSources(connection, sources, relation, ({ brands }) => brands);
  for (const relation of ['results', 'evidence'] as const)
    await viewSources(connection, sources, relation, () => 'true');
  await runScript(connection, import.meta, 'merge', { only_published: onlyPublished });
  const names = await countRows(connection, parquetFiles(sources.flatMap(({ parts }) => parts.names)));
  const slices = Math.max(1, Math.ceil(names / NAMES_IN_SLICE));
  return await selectRows<Slice>(connection, import.meta, 'slices', { slices });
}

/** Makes the table `slice_name`. */
export async function mergeNames(
  connection: Connection,
  sources: readonly Source[],
  slice: Slice,
): Promise<void> {
  const ranges = await selectRows<{ source: number; first: number; last: number }>(
    connection,
    import.meta,
    'source-ranges',
    slice,
  );
  await viewSources(connection, sources, 'names', (_, index) => {
    const { first, last } = ranges.find(({ source }) => source === index) ?? { first: 0, last: -1 };
    return `series_no between ${first} and ${last}`;
  });
  await makeTable(connection, import.meta, 'slice-name', slice);
}

/** Makes the view `source_RELATION` of all sources; its column `source` is their index. */
async function viewSources(
  connection: Connection,
  sources: readonly Source[],
  relation: BaseRelation,
  conditionOf: (source: Source, index: number) => string,
): Promise<void> {
  const hasCycles = relation === 'series' || relation === 'names';
  const selects = sources.map((source, index) => {
    const rows = parquetFiles(source.parts[relation]);
    return `select ${index} as source, * from ${rows} where ${conditionOf(source, index)}`;
  });
  // A source lacks the columns in which it has no cycle: without this row of none they could come out of order.
  if (hasCycles) selects.unshift("select columns('^cycles_') from history_cycle where false");
  const union = selects.join('\nunion all by name\n');
  await execute(connection, `create or replace view source_${relation} as ${union}`);
}
