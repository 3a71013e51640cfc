import type { EngineSlug } from '../../../lib/methodology/constants.ts';
import { roundRatio } from '../../../lib/methodology/exact.ts';
import { MICROS_PER_DAY } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { ManifestCompleteness } from '../../../snapshots/manifest.ts';
import { makeTable, selectRows } from '../../relations.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/delivery.ts';

/** What was delivered for the week, and what was expected: prompts on engines, each counted once (docs/operations.md, Incomplete weeks). */
export interface Completeness {
  /** The newest cycle of the whole lake; null if nothing ran. */
  newestCycle: string | null;
  /** In ascending order of their ids; empty if nothing ran. */
  byWorkspace: ReadonlyMap<string, WorkspaceCompleteness>;
  /** Engines of brands with prompts missing, the most of them first. */
  missing: Missing[];
}

export interface WorkspaceCompleteness {
  workspaceId: string;
  brands: number;
  /** The newest cycle in which one of its brands ran; null if none did. */
  newestCycle: string | null;
  /** True if any of its prompts is active: only then a new cycle is expected. */
  isActive: boolean;
  /**
   * True if it is active and its newest cycle began more than {@link MAX_AGE_DAYS} days before the as-of
   * instant. Then nothing counts as delivered, and `percent` is 0.
   */
  isStale: boolean;
  expected: number;
  delivered: number;
  percent: number | null;
}

/** A weekly cycle may be late by three days before its tracker counts as silent. */
export const MAX_AGE_DAYS = 10;

export interface Missing {
  workspaceId: string;
  brandId: string;
  brand: string;
  /** Of the brand. If nothing ran in it in the seven days before the as-of instant, nothing is delivered. */
  newestCycle: string;
  engine: EngineSlug;
  expected: number;
  delivered: number;
}

const WEEK = 7n * MICROS_PER_DAY;

/** The last cycle that anything ran in; null if nothing did. */
export function newestCycle(runs: readonly RunsObject[], asOf: Micros): string | null {
  const ran = runs.filter(({ ranFrom }) => BigInt(ranFrom) <= asOf);
  const dates = ran.map(({ cycleDate }) => cycleDate);
  return dates.toSorted().at(-1) ?? null;
}

/** @param newest the newest cycle of the whole lake */
export async function measureCompleteness(
  connection: Connection,
  newest: string | null,
  asOf: Micros,
): Promise<Completeness> {
  if (newest === null) return { newestCycle: null, byWorkspace: new Map(), missing: [] };
  await makeTable(connection, import.meta, 'completeness', { since: String(asOf - WEEK) });
  const rows = await selectRows<WorkspaceRow>(connection, import.meta, 'completeness-workspaces');
  const missing = await selectRows<Missing>(connection, import.meta, 'completeness-missing');
  const byWorkspace = new Map(rows.map((row) => [row.workspaceId, workspaceCompleteness(row, asOf)]));
  return { newestCycle: newest, byWorkspace, missing };
}

type WorkspaceRow = Omit<WorkspaceCompleteness, 'isStale' | 'percent'>;

function workspaceCompleteness(row: WorkspaceRow, asOf: Micros): WorkspaceCompleteness {
  const { expected, newestCycle: newest, isActive } = row;
  const isStale = isActive && newest !== null && isTooOld(newest, asOf);
  const delivered = isStale ? 0 : row.delivered;
  const percent = isStale ? 0 : percentOf(expected, delivered);
  return { ...row, isStale, delivered, percent };
}

/** True for a cycle that began more than {@link MAX_AGE_DAYS} days before an instant. */
export function isTooOld(cycleDate: string, asOf: Micros): boolean {
  return asOf - BigInt(Date.parse(cycleDate)) * 1000n > BigInt(MAX_AGE_DAYS) * MICROS_PER_DAY;
}

/** What the manifest of a workspace says; null if nothing ran in the lake. */
export function manifestCompleteness(
  { newestCycle: newest, byWorkspace }: Completeness,
  workspaceId: string,
): ManifestCompleteness | null {
  if (newest === null) return null;
  const { expected, delivered, percent } = byWorkspace.get(workspaceId)!;
  return { newestCycle: newest, expected, delivered, percent };
}

/** Null if nothing was expected. */
export function percentOf(expected: number, delivered: number): number | null {
  return expected === 0 ? null : roundRatio(100 * delivered, expected, 1);
}

/**
 * Compared unrounded, so that 94.96 % falls short of 95 %. If nothing was expected, only a stale workspace falls short.
 * @param requiredPercent with two decimals at most
 */
export function fallsShort(
  { expected, delivered, isStale }: Pick<WorkspaceCompleteness, 'expected' | 'delivered' | 'isStale'>,
  requiredPercent: number,
): boolean {
  if (isStale) return requiredPercent > 0;
  return 10_000 * delivered < Math.round(100 * requiredPercent) * expected;
}
