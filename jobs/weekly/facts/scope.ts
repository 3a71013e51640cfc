import type { Shard } from '../shard.ts';
import { ALL } from './layout.ts';

/** The brands that facts are made of, read and stored for. */
export interface Scope {
  /** In the names of stored facts and bases: those of two scopes lie side by side. */
  name: string;
  /** Only the brands to be published; otherwise all that have runs, tracked or not. */
  onlyPublished: boolean;
  /** Whether stored facts are read. */
  reads: boolean;
  /** Whether new facts, and the base, are stored. */
  stores: boolean;
}

export interface ScopeOptions {
  /** Only these workspaces (default: all). Nothing is stored then. */
  workspaces?: readonly string[] | undefined;
  /** Only this shard. It stores facts of its own, so that it reads nothing of other shards. */
  shard?: Shard | undefined;
  /** Reduce the whole history from raw runs; stored facts are neither read nor written. */
  full?: boolean | undefined;
}

export function factScope({ workspaces, shard, full = false }: ScopeOptions): Scope {
  const isSharded = workspaces === undefined && shard !== undefined;
  return {
    name: isSharded ? `${shard.index}-of-${shard.count}` : ALL,
    onlyPublished: isSharded || workspaces !== undefined,
    reads: !full,
    stores: !full && workspaces === undefined,
  };
}
