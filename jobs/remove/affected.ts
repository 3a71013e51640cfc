import { rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { Target } from '../ingest/write.ts';
import { rejectsKey, runBrandsKey, runsKey, trackingKey } from '../lake/layout.ts';
import type { TrackingKind } from '../lake/layout.ts';
import type { Delivery, LakeObject } from '../lake/ledger.ts';
import { localPaths } from '../lake/local.ts';
import { parquetFiles } from '../literals.ts';
import { countRows, makeTable, makeTableOf, viewParquet } from '../relations.ts';
import { linesWithout } from './rejects.ts';

type Kind = TrackingKind | 'runs' | 'run-brands' | 'rejects';

/** An object that may have rows of the workspace. */
interface Candidate {
  kind: Kind;
  object: LakeObject;
  /** The key of what replaces it. */
  keyOf: (sha256: string) => string;
}

/** An object that has some. */
export interface Affected extends Candidate {
  /** How many. */
  removed: number;
}

const OF_WORKSPACE = 'workspace_id in (from removed_workspace)';
const OF_BRAND = 'brand_id in (from removed_brand)';
/** Which rows of Parquet objects go. A null is no row of the workspace: an event may be of all. */
export const goes: Record<Exclude<Kind, 'rejects'>, string> = {
  workspaces: 'id in (from removed_workspace)',
  brands: OF_WORKSPACE,
  events: OF_WORKSPACE,
  competitors: OF_BRAND,
  prompts: OF_BRAND,
  runs: OF_BRAND,
  'run-brands': OF_BRAND,
};

export interface AffectedObjects {
  affected: Affected[];
  /** The ids of the workspace and of what it tracked, by which refused lines are found. */
  ids: ReadonlySet<string>;
}

export interface FindEffects {
  /** Called with the number of objects that are searched, then after each. */
  onStart?(objects: number): void;
  onObject?(): void;
}

/**
 * Finds the objects of the lake that have rows of a workspace: run objects before the lists of their brands, tracking before
 * refused lines. Makes the tables `removed_workspace` and `removed_brand`.
 */
export async function findAffected(
  target: Target,
  ledger: readonly Delivery[],
  workspaceId: string,
  effects: FindEffects,
): Promise<AffectedObjects> {
  const { connection, lake } = target;
  const ids = new Set([workspaceId, ...(await makeRemoved(target, ledger, workspaceId))]);
  const candidates = [...(await parquetCandidates(target, ledger)), ...rejectsOf(ledger)];
  effects.onStart?.(candidates.length);
  const affected: Affected[] = [];
  for (const candidate of candidates) {
    const removed = await withLocal(lake, candidate.object, async (path) =>
      candidate.kind === 'rejects'
        ? candidate.object.rows - (await Array.fromAsync(linesWithout(path, ids), () => 1)).length
        : await countRemoved(connection, candidate.kind, path, ids),
    );
    if (removed > 0) affected.push({ ...candidate, removed });
    effects.onObject?.();
  }
  return { affected, ids };
}

/** Returns the ids of the brands that go. */
async function makeRemoved(
  { connection, lake, scratch }: Target,
  ledger: readonly Delivery[],
  id: string,
): Promise<string[]> {
  const objects = ledger.flatMap(({ tracking }) => tracking.filter(({ kind }) => kind === 'brands'));
  const paths = await localPaths(lake, objects, scratch);
  await viewParquet(connection, 'lake_brand', paths, 'select null::uuid as id, null::uuid as workspace_id');
  await makeTableOf(connection, 'removed_workspace', { id: 'uuid' }, [{ id }]);
  await makeTable(connection, import.meta, 'removed-brand', { workspace: id });
  return await idsIn(connection, 'removed_brand');
}

async function idsIn(connection: Connection, rows: string): Promise<string[]> {
  return (await rowsOf<{ id: string }>(connection, `select id::varchar as id from ${rows}`)).map(
    ({ id }) => id,
  );
}

async function parquetCandidates(target: Target, ledger: readonly Delivery[]): Promise<Candidate[]> {
  const tracking = ledger.flatMap((delivery) =>
    delivery.tracking.map(({ kind, ...object }) => ({
      kind,
      object,
      keyOf: (sha256: string) => trackingKey(kind, delivery.trackingDate, sha256),
    })),
  );
  const runBrands = ledger.flatMap(({ runBrands: object }) => object ?? []);
  const hasBrand = await searchRunBrands(target, runBrands);
  const runs = ledger.flatMap((delivery) =>
    delivery.runs
      .filter(({ key }) => hasBrand.get(key) ?? true)
      .map((object) => ({
        kind: 'runs' as const,
        object,
        keyOf: (sha256: string) => runsKey(object.cycleDate, sha256),
      })),
  );
  const lists = runBrands.map((object) => ({ kind: 'run-brands' as const, object, keyOf: runBrandsKey }));
  // Two deliveries may name one tracking object.
  return [...new Map([...tracking, ...runs, ...lists].map((each) => [each.object.key, each])).values()];
}

/** Whether a run object has runs of the workspace, if the ledger names its brands. */
async function searchRunBrands({ connection, lake, scratch }: Target, lists: readonly LakeObject[]) {
  const paths = await localPaths(lake, lists, scratch);
  if (paths.length === 0) return new Map<string, boolean>();
  const rows = await rowsOf<{ object: string; found: boolean }>(
    connection,
    `select object, bool_or(${OF_BRAND}) as found from ${parquetFiles(paths)} group by object`,
  );
  return new Map(rows.map(({ object, found }) => [object, found]));
}

function rejectsOf(ledger: readonly Delivery[]): Candidate[] {
  return ledger.flatMap(({ rejects: object }) =>
    object === null ? [] : [{ kind: 'rejects' as const, object, keyOf: rejectsKey }],
  );
}

/** Kinds of records with ids of their own that go with them. The row of a brand may go while the brand stays. */
const withOwnIds = new Set<Kind>(['competitors', 'prompts', 'events']);

/** Counts the rows that go, and adds their ids to `ids`. */
async function countRemoved(
  connection: Connection,
  kind: Exclude<Kind, 'rejects'>,
  path: string,
  ids: Set<string>,
): Promise<number> {
  const rows = `${parquetFiles([path])} where ${goes[kind]}`;
  if (withOwnIds.has(kind)) for (const id of await idsIn(connection, rows)) ids.add(id);
  return await countRows(connection, rows);
}

/** Runs work on a verified local file of an object; a copy is deleted at once, as all of them may be larger than the disk. */
export async function withLocal<T>(
  lake: ObjectStore,
  object: LakeObject,
  work: (path: string) => Promise<T>,
): Promise<T> {
  await using scratch = await makeScratch('remove');
  const [path] = await localPaths(lake, [object], scratch.path);
  return await work(path!);
}
