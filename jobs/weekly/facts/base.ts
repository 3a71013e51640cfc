import { mkdir } from 'node:fs/promises';
import type { Connection } from '../../duckdb.ts';
import { addPart, noParts } from './parts.ts';
import type { FactRelation, Parts } from './parts.ts';

/** Writes the merged history as a base, in the form of a fact. */
export interface BaseWriter {
  readonly parts: Parts;
  /** Adds the names of the slice in `slice_name`. */
  addNames(): Promise<void>;
}

/** @param folder is made */
export async function writeBase(connection: Connection, folder: string): Promise<BaseWriter> {
  await mkdir(folder);
  const parts = noParts();
  const add = async (relation: FactRelation, query: string) =>
    await addPart(connection, folder, parts, relation, query);
  await add('scores', 'from score order by brand_id, engine, cycle_date');
  await add('outside_runs', 'from outside_run order by brand_id, cycle_date');
  await add('series', 'select * exclude (brand_no) from history_series order by series_no');
  await add('results', 'from history_result order by series_no, cycle_date');
  await add('spellings', 'select * exclude (brand_no) from history_spelling order by spelling_no');
  return {
    parts,
    addNames: async () => await add('names', 'from slice_name order by series_no, spelling_no'),
  };
}
