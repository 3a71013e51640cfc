import { rowsOf } from '../duckdb.ts';
import type { Target } from '../ingest/write.ts';
import { rejectsKey, runBrandsKey, runsKey, trackingKey } from '../lake/layout.ts';
import type { TrackingKind } from '../lake/layout.ts';
import type { Delivery, LakeObject } from '../lake/delivery.ts';
import { localPaths } from '../lake/local.ts';
import { viewParquet } from '../relations.ts';

/** An object that may have rows of the workspace. */
export interface Candidate {
  kind: TrackingKind | 'runs' | 'run-brands' | 'rejects';
  object: LakeObject;
  /** The key of what replaces it. */
  keyOf: (sha256: string) => string;
}

const OF_WORKSPACE = 'workspace_id in (from removed_workspace)';
const OF_BRAND = 'brand_id in (from removed_brand)';
/** Which rows of Parquet objects go. A null is no row of the workspace: an event may be of all. */
export const goes: Record<Exclude<Candidate['kind'], 'rejects'>, string> = {
  workspaces: 'id in (from removed_workspace)',
  brands: OF_WORKSPACE,
  events: OF_WORKSPACE,
  competitors: OF_BRAND,
  prompts: OF_BRAND,
  runs: OF_BRAND,
  'run-brands': OF_BRAND,
};

/** Run objects before the lists of their brands, tracking before refused lines. Needs the table `removed_brand`. */
export async function candidatesIn(target: Target, ledger: readonly Delivery[]): Promise<Candidate[]> {
  const hasBrand = await searchRunBrands(target, ledger);
  const tracking = ledger.flatMap((delivery) =>
    delivery.tracking.map(({ kind, ...object }) => ({
      kind,
      object,
      keyOf: (sha256: string) => trackingKey(kind, delivery.trackingDate, sha256),
    })),
  );
  const runs = ledger
    .flatMap((delivery) => delivery.runs)
    .filter(({ key }) => hasBrand.get(key) !== false)
    .map((object) => ({
      kind: 'runs' as const,
      object,
      keyOf: (sha256: string) => runsKey(object.cycleDate, sha256),
    }));
  const lists = ledger
    .flatMap(({ runBrands }) => runBrands ?? [])
    .map((object) => ({ kind: 'run-brands' as const, object, keyOf: runBrandsKey }));
  const rejects = ledger
    .flatMap((delivery) => delivery.rejects ?? [])
    .map((object) => ({ kind: 'rejects' as const, object, keyOf: rejectsKey }));
  // Two deliveries may name one object.
  const byKey = new Map([...tracking, ...runs, ...lists, ...rejects].map((each) => [each.object.key, each]));
  return [...byKey.values()];
}

/** Whether a run object has runs of the workspace, if the ledger names its brands. */
async function searchRunBrands({ connection, lake, scratch }: Target, ledger: readonly Delivery[]) {
  const lists = ledger.flatMap(({ runBrands }) => runBrands ?? []);
  const paths = await localPaths(lake, lists, scratch);
  await viewParquet(connection, 'lake_list', paths, 'select null::varchar as object, null::uuid as brand_id');
  const rows = await rowsOf<{ object: string; found: boolean }>(
    connection,
    `select object, bool_or(${OF_BRAND}) as found from lake_list group by object`,
  );
  return new Map(rows.map(({ object, found }) => [object, found]));
}
