import { readdir } from 'node:fs/promises';
import { sha256 } from '../../../lib/hash.ts';
import { METHODOLOGY_VERSION } from '../../../lib/methodology/constants.ts';
import { duckdbVersion } from '../../duckdb.ts';
import { sqlNextTo } from '../../relations.ts';
import type { Cycle } from './plan.ts';

/** Below these lie the facts of cycles, and the bases of all cycles up to one. */
export const FACTS = 'facts/';
export const BASES = 'bases/';
/** Written last: it names the files of a fact. */
export const FACT_FILE = 'fact.json';

/** The scope of facts about all brands, also those that are not tracked. */
export const ALL = 'all';

/** Raised when reduce.ts makes another fact of the same runs by the same queries. */
const FORMAT = 8;

/**
 * What a fact depends on besides its runs and brands: the methodology, the queries that make it and DuckDB. It is part of
 * every name, so that facts of another version are never read.
 */
export async function factsVersion(): Promise<string> {
  const names = (await readdir(new URL('reduce/', import.meta.url))).filter((name) => name.endsWith('.sql'));
  const texts = names.toSorted().map((name) => sqlNextTo(import.meta, `reduce/${name.slice(0, -4)}`));
  const queries = (await Promise.all(texts)).map((text) => text.replaceAll(/^ *--.*\n/gm, ''));
  const version = [FORMAT, METHODOLOGY_VERSION, duckdbVersion(), ...queries].join('\n');
  return sha256(version).slice(0, 16);
}

export type FactNames = ReturnType<typeof factNames>;

/**
 * The prefixes that facts are stored under.
 * @param scope {@link ALL}, or the name of a shard
 * @param brands a hash of the shard's brands; '' for all brands. Facts of the shard with other brands, and those of all
 * brands, can be read too: moved-brand.sql finds the brands that they lack.
 * @param stored keys of fact files
 */
export function factNames(version: string, scope: string, brands: string, stored: readonly string[]) {
  const own = brands === '' ? scope : `${scope}-${brands}`;
  const keys = new Set(stored);
  /** Prefixes of what cannot be used. */
  const damaged = new Set<string>();
  const folders = [...new Set(stored.map((key) => key.split('/')[2]!))].toSorted();
  const related = folders.filter((folder) => scope !== ALL && folder.startsWith(`${scope}-`)).toReversed();
  const ofFact = (cycle: Cycle, folder = own) =>
    `${FACTS}${version}/${folder}/cycle=${cycle.date}/${cycle.content.slice(0, 16)}/`;
  const ofBase = (cycle: Cycle, folder = own) =>
    `${BASES}${version}/${folder}/through=${cycle.date}/${cycle.chain.slice(0, 16)}/`;
  /** The prefix of a stored one; null: there is none. */
  const find = (prefixOf: typeof ofFact, cycle: Cycle) =>
    [own, ...related, ALL]
      .map((folder) => prefixOf(cycle, folder))
      .find((prefix) => keys.has(`${prefix}${FACT_FILE}`) && !damaged.has(prefix)) ?? null;
  return {
    damaged,
    ofFact,
    ofBase,
    findFact: (cycle: Cycle) => find(ofFact, cycle),
    findBase: (cycle: Cycle) => find(ofBase, cycle),
  };
}
