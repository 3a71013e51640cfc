import { readdir } from 'node:fs/promises';
import { sha256 } from '../../../lib/hash.ts';
import { METHODOLOGY_VERSION } from '../../../lib/methodology/constants.ts';
import { duckdbVersion } from '../../duckdb.ts';
import { sqlNextTo } from '../../relations.ts';
import type { Cycle } from './plan.ts';

/** Below this lie the bases. */
export const BASES = 'bases/';
/** Written last: it names the files of a base. */
export const BASE_FILE = 'base.json';

/** The scope of bases about all brands, also those that are not tracked. */
export const ALL = 'all';

/** Raised when reduce.ts makes another base of the same runs by the same queries. */
const FORMAT = 9;

/**
 * What a base depends on besides its runs and brands: the methodology, the queries that make it and DuckDB. It is part of
 * every name, so that bases of another version are never read.
 */
export async function basesVersion(): Promise<string> {
  const names = (await readdir(new URL('reduce/', import.meta.url))).filter((name) => name.endsWith('.sql'));
  const texts = names.toSorted().map((name) => sqlNextTo(import.meta, `reduce/${name.slice(0, -4)}`));
  const queries = (await Promise.all(texts)).map((text) => text.replaceAll(/^ *--.*\n/gm, ''));
  const version = [FORMAT, METHODOLOGY_VERSION, duckdbVersion(), ...queries].join('\n');
  return sha256(version).slice(0, 16);
}

export interface StoredBase {
  prefix: string;
  /** True if it is of all brands, and of all run objects of the lake. */
  isOfAll: boolean;
}

export type BaseNames = ReturnType<typeof baseNames>;

/**
 * The prefixes that bases are stored under.
 * @param scope {@link ALL}, or the name of a shard
 * @param brands a hash of the shard's brands; '' for all brands. Bases of the shard with other brands, and those of all
 * brands, can be read too: moved-brand.sql finds the brands that they lack.
 * @param stored keys of their files
 */
export function baseNames(version: string, scope: string, brands: string, stored: readonly string[]) {
  const own = brands === '' ? scope : `${scope}-${brands}`;
  const keys = new Set(stored);
  /** Prefixes of what cannot be used. */
  const damaged = new Set<string>();
  const folders = [...new Set(stored.map((key) => key.split('/')[2]!))].toSorted();
  const related = folders.filter((folder) => scope !== ALL && folder.startsWith(`${scope}-`)).toReversed();
  const prefixOf = ({ date, chain, lakeChain }: Cycle, folder = own) => {
    const hash = folder === ALL ? lakeChain : chain;
    return `${BASES}${version}/${folder}/through=${date}/${hash.slice(0, 16)}/`;
  };
  return {
    damaged,
    prefixOf,
    /** A stored base that ends with a cycle; null: there is none. */
    find: (cycle: Cycle): StoredBase | null =>
      [own, ...related, ALL]
        .map((folder) => ({ prefix: prefixOf(cycle, folder), isOfAll: folder === ALL }))
        .find(({ prefix }) => keys.has(`${prefix}${BASE_FILE}`) && !damaged.has(prefix)) ?? null,
  };
}
