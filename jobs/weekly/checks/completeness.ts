import { roundRatio } from '../../../lib/methodology/exact.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { EngineSlug } from '../../../lib/methodology/constants.ts';
import type { ManifestCompleteness } from '../../../snapshots/manifest.ts';
import { rowsOf } from '../../duckdb.ts';
import { makeTable, sqlNextTo } from '../../relations.ts';
import type { Connection } from '../../duckdb.ts';
import type { Input } from '../inputs/state.ts';

/** What was delivered for the newest week, and what was expected: prompts on engines, each counted once (docs/schedule.md). */
export interface Completeness {
  /** The newest cycle of the whole lake; null where nothing ran. */
  newestCycle: string | null;
  /** In ascending order of their ids; empty where nothing ran. */
  byWorkspace: ReadonlyMap<string, WorkspaceCompleteness>;
  /** Engines of brands with prompts missing, the most of them first. */
  missing: Missing[];
}

export interface WorkspaceCompleteness extends Pick<
  ManifestCompleteness,
  'expected' | 'delivered' | 'percent'
> {
  workspaceId: string;
  /** The newest cycle in which one of its brands ran; null where none did. */
  newestCycle: string | null;
  /** True where any of its prompts is active: only then a new cycle is expected. */
  isActive: boolean;
  /**
   * True where it is active and its newest cycle began more than {@link MAX_AGE_DAYS} days before the as-of
   * instant. Then nothing counts as delivered, and `percent` is 0.
   */
  isStale: boolean;
}

/** A weekly cycle may be late by three days before its tracker counts as silent. */
export const MAX_AGE_DAYS = 10;

export interface Missing {
  workspaceId: string;
  brandId: string;
  brand: string;
  engine: EngineSlug;
  expected: number;
  delivered: number;
}

const DAYS_PER_WEEK = 7;

/**
 * The last cycle that anything ran in, as the ledger knows; null where it does not know, or nothing ran. It is the
 * whole lake's, so that every shard means the same week.
 */
export function newestCycle(runs: readonly Input[], asOf: Micros): string | null {
  const dates = runs.flatMap(({ cycleDate, ranFrom }) =>
    cycleDate !== undefined && ranFrom !== undefined && BigInt(ranFrom) <= asOf ? [cycleDate] : [],
  );
  return dates.toSorted().at(-1) ?? null;
}

/** True for a cycle of the week that ends with the newest one: brands have their cycles on different days. */
export function inNewestWeek(cycleDate: string | undefined, newest: string | null): boolean {
  if (cycleDate === undefined || newest === null) return false;
  const days = (Date.parse(newest) - Date.parse(cycleDate)) / 86_400_000;
  return days >= 0 && days < DAYS_PER_WEEK;
}

/** Needs the table `score`, and the runs of the newest week among those loaded. */
export async function measureCompleteness(
  connection: Connection,
  newest: string | null,
  asOf: Micros,
): Promise<Completeness> {
  if (newest === null) return { newestCycle: null, byWorkspace: new Map(), missing: [] };
  await makeTable(connection, import.meta, 'completeness', { newest });
  const workspaces = await rowsOf<WorkspaceRow>(
    connection,
    await sqlNextTo(import.meta, 'completeness-workspaces'),
  );
  const missing = await rowsOf<Missing>(connection, await sqlNextTo(import.meta, 'completeness-missing'));
  return {
    newestCycle: newest,
    byWorkspace: new Map(workspaces.map((row) => [row.workspace_id, workspaceCompleteness(row, asOf)])),
    missing,
  };
}

interface WorkspaceRow {
  workspace_id: string;
  expected: number;
  delivered: number;
  newest_cycle: string | null;
  has_active_prompts: boolean;
}

function workspaceCompleteness(row: WorkspaceRow, asOf: Micros): WorkspaceCompleteness {
  const { workspace_id: workspaceId, expected, newest_cycle: newest, has_active_prompts: isActive } = row;
  const isStale = isActive && newest !== null && isTooOld(newest, asOf);
  const delivered = isStale ? 0 : row.delivered;
  const percent = isStale ? 0 : percentOf(expected, delivered);
  return { workspaceId, newestCycle: newest, isActive, isStale, expected, delivered, percent };
}

/** True for a cycle that began more than {@link MAX_AGE_DAYS} days before an instant. */
export function isTooOld(cycleDate: string, asOf: Micros): boolean {
  return asOf - BigInt(Date.parse(cycleDate)) * 1000n > BigInt(MAX_AGE_DAYS) * 86_400_000_000n;
}

/** As the manifest of a workspace has it; null where nothing ran in the lake. */
export function manifestCompleteness(
  { newestCycle: newest, byWorkspace }: Completeness,
  workspaceId: string,
): ManifestCompleteness | null {
  const found = byWorkspace.get(workspaceId);
  if (newest === null || found === undefined) return null;
  const { expected, delivered, percent } = found;
  return { newestCycle: newest, expected, delivered, percent };
}

/** Null where nothing was expected. */
export function percentOf(expected: number, delivered: number): number | null {
  return expected === 0 ? null : roundRatio(100 * delivered, expected, 1);
}

/**
 * Compared unrounded, so that 94.96 % falls short of 95 %. Where nothing was expected nothing falls short, unless the
 * workspace is stale.
 * @param requiredPercent with two decimals at most
 */
export function fallsShort(
  { expected, delivered, isStale }: Pick<WorkspaceCompleteness, 'expected' | 'delivered' | 'isStale'>,
  requiredPercent: number,
): boolean {
  if (isStale) return requiredPercent > 0;
  return 10_000 * delivered < Math.round(100 * requiredPercent) * expected;
}
