import { rm } from 'node:fs/promises';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, literal } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { BASES, FACTS, namesKey, scoresKey } from './plan.ts';

/** Bases that are kept of each scope: a late delivery to one of the last cycles then starts from the one before it. */
const BASES_KEPT = 4;

/** The keys of all stored facts and bases. */
export async function storedFacts(lake: ObjectStore): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const prefix of [FACTS, BASES]) for await (const { key } of lake.list(prefix)) keys.add(key);
  return keys;
}

/** Stores a fact or a base: these rows of `score`, and a names file. */
export async function store(
  connection: Connection,
  lake: ObjectStore,
  prefix: string,
  scores: string,
  names: string,
): Promise<void> {
  const path = `${names}.scores.parquet`;
  await execute(connection, `copy (${scores}) to ${literal(path)} (format parquet, compression zstd)`);
  await lake.createFromFile(scoresKey(prefix), path);
  await rm(path);
  await lake.createFromFile(namesKey(prefix), names);
}

/** Deletes all but the newest bases of a scope. */
export async function dropOldBases(lake: ObjectStore, scope: string): Promise<void> {
  const prefixes: string[] = [];
  for await (const { key } of lake.list(BASES)) {
    const prefix = key.slice(0, key.lastIndexOf('/') + 1);
    if (prefix.endsWith(`/${scope}/`) && key === namesKey(prefix)) prefixes.push(prefix);
  }
  for (const prefix of prefixes.toSorted().slice(0, -BASES_KEPT)) {
    await lake.delete(namesKey(prefix)); // first: it says that the base is whole
    await lake.delete(scoresKey(prefix));
  }
}
