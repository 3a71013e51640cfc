import { roundRatio } from '../../lib/exact.ts';
import type { Micros } from '../../lib/instant.ts';
import type { EngineSlug } from '../../lib/methodology.ts';
import type { ManifestCompleteness } from '../../snapshots/manifest.ts';
import { execute, readSql, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import type { Input } from './state.ts';

/** What came for the newest week, beside what was to come: prompts on engines, each counted once (docs/schedule.md). */
export interface Completeness {
  byWorkspace: ReadonlyMap<string, ManifestCompleteness>;
  /** Engines of brands with prompts missing, the most of them first. */
  missing: Missing[];
}

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
): Promise<Completeness> {
  if (newest === null) return { byWorkspace: new Map(), missing: [] };
  await execute(connection, await readSql('weekly/completeness'), { newest });
  const workspaces = await rowsOf<WorkspaceRow>(connection, await readSql('weekly/completeness-workspaces'));
  const missing = await rowsOf<MissingRow>(connection, await readSql('weekly/completeness-missing'));
  return {
    byWorkspace: new Map(
      workspaces.map((row) => [row.workspace_id, completenessOf(newest, row.expected, row.delivered)]),
    ),
    missing: missing.map(({ workspace_id: workspaceId, brand_id: brandId, ...rest }) => ({
      workspaceId,
      brandId,
      ...rest,
    })),
  };
}

interface WorkspaceRow {
  workspace_id: string;
  expected: number;
  delivered: number;
}

interface MissingRow extends Omit<Missing, 'workspaceId' | 'brandId'> {
  workspace_id: string;
  brand_id: string;
}

function completenessOf(newest: string, expected: number, delivered: number): ManifestCompleteness {
  return { newestCycle: newest, expected, delivered, percent: percentOf(expected, delivered) };
}

/** Null where nothing was expected. */
export function percentOf(expected: number, delivered: number): number | null {
  return expected === 0 ? null : roundRatio(100 * delivered, expected, 1);
}

/**
 * Compared unrounded, so that 94.96 % falls short of 95 %. Where nothing was expected nothing falls short.
 * @param requiredPercent with two decimals at most
 */
export function fallsShort(
  { expected, delivered }: Pick<ManifestCompleteness, 'expected' | 'delivered'>,
  requiredPercent: number,
): boolean {
  return 10_000 * delivered < Math.round(100 * requiredPercent) * expected;
}
