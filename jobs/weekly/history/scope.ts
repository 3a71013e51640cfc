import type { Shard } from '../shard.ts';
import { ALL } from './layout.ts';

/** The brands that bases are made of, read and stored for. */
export interface Scope {
  /** In the names of stored bases: those of two scopes lie side by side. */
  name: string;
  /** Only the brands to be published; otherwise all that have runs, tracked or not. */
  onlyPublished: boolean;
  /** Whether stored bases are read. */
  reads: boolean;
  /** Whether a new base is stored. */
  stores: boolean;
}

export interface ScopeOptions {
  /** Only these workspaces (default: all). Nothing is stored then. */
  workspaces?: readonly string[] | undefined;
  /** Only this shard. It stores bases of its own, so that it reads nothing of other shards. */
  shard?: Shard | undefined;
  /** Reduce the whole history from raw runs; stored bases are neither read nor written. */
  full?: boolean | undefined;
}

export function baseScope({ workspaces, shard, full = false }: ScopeOptions): Scope {
  const isSharded = workspaces === undefined && shard !== undefined;
  return {
    name: isSharded ? `${shard.index}-of-${shard.count}` : ALL,
    onlyPublished: isSharded || workspaces !== undefined,
    reads: !full,
    stores: !full && workspaces === undefined,
  };
}
