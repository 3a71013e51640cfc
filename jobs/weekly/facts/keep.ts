import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, literal, readSql } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { BASES, FACTS, scoresKey, seriesKey } from './plan.ts';
import type { Plan } from './plan.ts';

/** Bases that are kept: a late delivery to one of the last cycles then starts from the one before it. */
const BASES_KEPT = 4;

/** The keys of all stored facts and bases. */
export async function storedFacts(lake: ObjectStore): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const prefix of [FACTS, BASES]) for await (const { key } of lake.list(prefix)) keys.add(key);
  return keys;
}

/**
 * Stores what was reduced for the weeks to come: a fact for each settled cycle that had none, and the base up to the
 * last settled cycle. Facts and bases can be made again from the raw runs at any time.
 */
export async function keepFacts(
  connection: Connection,
  lake: ObjectStore,
  plan: Plan,
  scratch: string,
): Promise<void> {
  const cycleFact = await readSql('weekly/cycle-fact');
  for (const cycle of plan.unreduced.filter((candidate) => candidate.isSettled)) {
    const select = cycleFact.replace('$cycle_date', literal(cycle.date));
    await store(connection, lake, cycle.factKey, select, scratch);
  }
  const last = plan.cycles.at(-1);
  // A base stands for all cycles that were loaded, and may hold none with a run that is yet to come.
  if (last === undefined || plan.baseKey === last.baseKey || plan.cycles.some((cycle) => !cycle.isSettled))
    return;
  await store(connection, lake, seriesKey(last.baseKey), await readSql('weekly/base-series'), scratch);
  await store(connection, lake, scoresKey(last.baseKey), await readSql('weekly/base-scores'), scratch);
  await dropOldBases(lake, last.baseKey);
}

async function store(
  connection: Connection,
  lake: ObjectStore,
  key: string,
  select: string,
  scratch: string,
): Promise<void> {
  const path = join(scratch, 'fact.parquet');
  await execute(connection, `copy (${select}) to ${literal(path)} (format parquet, compression zstd)`);
  await lake.createFromFile(key, path);
  await rm(path);
}

async function dropOldBases(lake: ObjectStore, current: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of lake.list(BASES)) keys.push(key);
  const bases = [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/'))))].toSorted();
  const old = bases.filter((base) => base !== current).slice(0, -(BASES_KEPT - 1));
  for (const base of old) {
    await lake.delete(scoresKey(base)); // first, since it says that the base is whole
    await lake.delete(seriesKey(base));
  }
}
