import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, literal, readSql } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { BASES, FACTS, baseTables, factTables, tableKey, wholeBaseKey } from './plan.ts';
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
 * Reduces each settled cycle that has no fact to one, and stores it. Facts can be made again from the raw runs at any
 * time. Returns the plan that reads them.
 */
export async function keepFacts(
  connection: Connection,
  lake: ObjectStore,
  plan: Plan,
  scratch: string,
): Promise<Plan> {
  const settled = plan.unreduced.filter((cycle) => cycle.isSettled);
  for (const { date, fact } of settled) {
    for (const table of factTables) {
      const select = (await readSql(`weekly/fact-${table}`)).replace('$cycle_date', literal(date));
      await store(connection, lake, tableKey(fact, table), select, scratch);
    }
  }
  return {
    ...plan,
    reduced: [...plan.reduced, ...settled],
    unreduced: plan.unreduced.filter((cycle) => !cycle.isSettled),
  };
}

/** Stores the reduced history as the base for the weeks to come, unless a cycle of it is not settled. */
export async function keepBase(
  connection: Connection,
  lake: ObjectStore,
  plan: Plan,
  scratch: string,
): Promise<void> {
  const base = plan.cycles.at(-1)?.base;
  if (base === undefined || base === plan.base || plan.cycles.some((cycle) => !cycle.isSettled)) return;
  for (const table of baseTables) {
    await store(connection, lake, tableKey(base, table), await readSql(`weekly/base-${table}`), scratch);
  }
  await dropOldBases(lake, base);
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
  const bases = [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/') + 1)))].toSorted();
  const old = bases.filter((base) => base !== current).slice(0, -(BASES_KEPT - 1));
  for (const base of old) {
    await lake.delete(wholeBaseKey(base)); // first: it says that the base is whole
    for (const table of baseTables) await lake.delete(tableKey(base, table));
  }
}
