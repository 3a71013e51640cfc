import { ALL } from './layout.ts';

/** The brands that facts are made of, read and stored for. */
export interface Scope {
  /** In the names of stored facts and bases: those of two scopes lie side by side. */
  name: string;
  /** Only the brands to be published; otherwise all that have runs, tracked or not. */
  onlyPublished: boolean;
  /** Whether new facts, and the base, are stored. */
  keeps: boolean;
}

export const everything: Scope = { name: ALL, onlyPublished: false, keeps: true };

/** A shard keeps facts of its own, so that it opens nothing of the others'. */
export function shardScope({ index, count }: { index: number; count: number }): Scope {
  return { name: `${index}-of-${count}`, onlyPublished: true, keeps: true };
}

/** Of a run for some workspaces by name: it leaves nothing behind. */
export const readOnlyScope: Scope = { name: ALL, onlyPublished: true, keeps: false };
