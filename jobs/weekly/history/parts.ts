import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../duckdb.ts';
import { copyRows } from '../../relations.ts';

/** What runs are reduced to; reduce/reduce.sql has the query of each. */
export const baseRelations = [
  'scores',
  'models',
  'outside_runs',
  'series',
  'results',
  'evidence',
  'spellings',
  'names',
] as const;
export type BaseRelation = (typeof baseRelations)[number];

/** Local Parquet files of each relation: at least one, even if it has no rows. */
export type Parts = Record<BaseRelation, string[]>;

export function noParts(): Parts {
  return Object.fromEntries(baseRelations.map((relation): [string, string[]] => [relation, []])) as Parts;
}

export interface PartsWriter {
  readonly parts: Parts;
  /** Writes the rows of a query as the next file of a relation. */
  add: (relation: BaseRelation, query: string) => Promise<void>;
}

/** Level 1 takes three quarters of the usual level's CPU time, and the files are as small. */
const FORMAT = 'format parquet, compression zstd, compression_level 1';

/** Writes files to a new folder below `scratch`. */
export async function writeParts(connection: Connection, scratch: string): Promise<PartsWriter> {
  const folder = await mkdtemp(join(scratch, 'parts-'));
  const parts = noParts();
  return {
    parts,
    async add(relation, query) {
      const path = join(folder, `${relation}-${parts[relation].length}.parquet`);
      await copyRows(connection, query, path, FORMAT);
      parts[relation].push(path);
    },
  };
}
