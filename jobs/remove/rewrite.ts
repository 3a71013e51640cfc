import { rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { putRejects, writeParquet } from '../ingest/write.ts';
import type { Target } from '../ingest/write.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { Delivery, LakeObject, Removal, Replacement } from '../lake/delivery.ts';
import { localPaths } from '../lake/local.ts';
import { parquetFiles } from '../literals.ts';
import { countRows, makeTable, makeTableOf, viewParquet } from '../relations.ts';
import { candidatesIn, goes } from './candidates.ts';
import type { Candidate } from './candidates.ts';
import { linesWithout } from './rejects.ts';

/** An object that has rows of the workspace. */
export interface Affected extends Candidate {
  /** How many. */
  removed: number;
  /** True if nothing replaces it. Tracking without records stays: it replaces what was tracked before. */
  isDropped: boolean;
}

export interface RewriteEffects {
  /** Called with the number of objects that are searched, then after each. */
  onStart?(objects: number): void;
  onObject?(): void;
}

/**
 * Finds the objects of the lake that have rows of a workspace and, unless it is a dry run, writes each again without them,
 * under another name.
 */
export async function rewriteObjects(
  target: Target,
  ledger: readonly Delivery[],
  { workspaceId, isDryRun }: { workspaceId: string; isDryRun: boolean },
  effects: RewriteEffects,
): Promise<{ affected: Affected[]; replaced: Removal['replaced'] }> {
  // Of the workspace and of what it tracked: refused lines are found by them.
  const ids = new Set([workspaceId, ...(await makeRemoved(target, ledger, workspaceId))]);
  const candidates = await candidatesIn(target, ledger);
  effects.onStart?.(candidates.length);
  const affected: Affected[] = [];
  const replaced: Removal['replaced'] = [];
  for (const candidate of candidates) {
    const { kind, object } = candidate;
    await withLocal(target, object, async (path) => {
      const removed = await countRemoved(target.connection, candidate, path, ids);
      if (removed === 0) return;
      const isDropped = removed === object.rows && !trackingKinds.some((each) => each === kind);
      affected.push({ ...candidate, removed, isDropped });
      if (isDryRun) return;
      const by = isDropped ? null : await rewrite(target, candidate, path, ids, replaced);
      replaced.push({ key: object.key, by });
    });
    effects.onObject?.();
  }
  return { affected, replaced };
}

/** Makes the tables `removed_workspace` and `removed_brand`. Returns the ids of the brands that go. */
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
  const found = await rowsOf<{ id: string }>(connection, `select id::varchar as id from ${rows}`);
  return found.map(({ id }) => id);
}

/** Runs work on a verified local file of an object; a copy is deleted at once, as all of them may be larger than the disk. */
async function withLocal({ lake }: Target, object: LakeObject, work: (path: string) => Promise<void>) {
  await using scratch = await makeScratch('remove');
  const [path] = await localPaths(lake, [object], scratch.path);
  await work(path!);
}

/** Kinds of records with ids of their own that go with them. The row of a brand may go while the brand stays. */
const withOwnIds = new Set<Candidate['kind']>(['competitors', 'prompts', 'events']);

/** Counts the rows that go, and adds their ids to `ids`. */
async function countRemoved(
  connection: Connection,
  { kind, object }: Candidate,
  path: string,
  ids: Set<string>,
): Promise<number> {
  if (kind === 'rejects')
    return object.rows - (await Array.fromAsync(linesWithout(path, ids), () => null)).length;
  const rows = `${parquetFiles([path])} where ${goes[kind]}`;
  if (withOwnIds.has(kind)) for (const id of await idsIn(connection, rows)) ids.add(id);
  return await countRows(connection, rows);
}

/** @param replaced so far: the list of the brands of run objects names these */
async function rewrite(
  target: Target,
  { kind, keyOf }: Candidate,
  path: string,
  ids: ReadonlySet<string>,
  replaced: Removal['replaced'],
): Promise<Replacement | null> {
  if (kind === 'rejects') return await putRejects(target, linesWithout(path, ids));
  const { connection } = target;
  // In the order of before: equal records of the others must not change places.
  const kept = `${parquetFiles([path], 'file_row_number = true')} where (${goes[kind]}) is not true`;
  if (kind === 'run-brands') {
    const rows = replaced.flatMap(({ key, by }) => (by === null ? [] : [{ object: key, by_object: by.key }]));
    await makeTableOf(connection, 'replaced_object', { object: 'varchar', by_object: 'varchar' }, rows);
    const renamed = `
      select * exclude (by_object, file_row_number) replace (coalesce(by_object, object) as object)
      from (from ${kept}) left join replaced_object using (object) order by object, brand_id, engine`;
    return await writeParquet(target, renamed, keyOf);
  }
  const select = `select * exclude (file_row_number) from ${kept} order by file_row_number`;
  const written = await writeParquet(target, select, keyOf);
  if (kind !== 'runs') return written;
  const [times] = await rowsOf<{ ranFrom: string; ranTo: string }>(
    connection,
    `select epoch_us(min(ran_at))::varchar as "ranFrom", epoch_us(max(ran_at))::varchar as "ranTo" from ${kept}`,
  );
  return { ...written, ...times };
}
