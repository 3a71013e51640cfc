import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { openDatabase } from '../duckdb.ts';
import { nextPlace, readLedger, recordDelivery } from '../lake/ledger.ts';
import type { LedgerEntry, Removal } from '../lake/ledger.ts';
import { findAffected } from './affected.ts';
import type { Affected, FindEffects } from './affected.ts';
import { deleteLeftovers, findLeftovers } from './leftovers.ts';
import { rewriteObjects } from './rewrite.ts';

export interface RemoveOptions {
  lake: ObjectStore;
  workspaceId: string;
  /** Only find what would be removed. */
  isDryRun: boolean;
  threads?: number;
}

export interface RemoveEffects extends FindEffects {
  clock: Clock;
}

export interface RemovalReport {
  /** The objects that have rows of the workspace. */
  affected: Affected[];
  /** How many objects are deleted, with those that were rewritten; in a dry run, those that are left from before. */
  leftovers: number;
}

/**
 * Removes a workspace from the lake: writes each object that has rows of it again without them, records that in the ledger,
 * then deletes the old objects and the bases. Killed before the record, it has changed nothing for readers; killed later,
 * it goes on when it is run again.
 * @throws Failure if the lake never had the workspace
 */
export async function removeWorkspace(
  options: RemoveOptions,
  effects: RemoveEffects,
): Promise<RemovalReport> {
  const { lake, isDryRun } = options;
  await lake.check('lake');
  const written = new Set<string>();
  for (;;) {
    const ledger = await readLedger(lake);
    const affected = await removeFrom(ledger, written, options, effects);
    // Another program took the number of the entry first: start again, with what it delivered.
    if (affected === null) continue;
    const leftovers = await findLeftovers(lake, written, effects.clock.now());
    if (!isDryRun) await deleteLeftovers(lake, leftovers);
    return { affected, leftovers: leftovers.length };
  }
}

/** Returns null if the entry could not be recorded. */
async function removeFrom(
  ledger: readonly LedgerEntry[],
  written: Set<string>,
  { lake, workspaceId, isDryRun, threads }: RemoveOptions,
  effects: RemoveEffects,
): Promise<Affected[] | null> {
  await using scratch = await makeScratch('remove');
  using database = await openDatabase({ scratch: scratch.path, threads });
  const target = { connection: await database.connect(), lake, scratch: scratch.path };
  const found = await findAffected(target, ledger, workspaceId, effects);
  const { affected } = found;
  const workspaceSha256 = sha256(workspaceId);
  if (affected.length === 0)
    assertRemovedBefore(ledger, workspaceSha256, `${lake.url} has no workspace ${workspaceId}`);
  if (affected.length === 0 || isDryRun) return affected;
  const replaced = await rewriteObjects(target, found);
  for (const { by } of replaced) if (by !== null) written.add(by.key);
  const removal = { workspaceSha256, replaced };
  const receivedAt = new Date(effects.clock.now()).toISOString();
  return (await recordRemoval(lake, ledger, removal, receivedAt)) ? affected : null;
}

function assertRemovedBefore(
  ledger: readonly LedgerEntry[],
  workspaceSha256: string,
  otherwise: string,
): void {
  if (!ledger.some(({ removal }) => removal?.workspaceSha256 === workspaceSha256))
    throw new Failure(otherwise);
}

async function recordRemoval(
  lake: ObjectStore,
  ledger: readonly LedgerEntry[],
  removal: Removal,
  receivedAt: string,
): Promise<boolean> {
  const nothing = { sources: [], tracking: [], runs: [], runBrands: null, runIds: null, rejects: null };
  const trackingDate = receivedAt.slice(0, 10);
  return await recordDelivery(lake, { ...nextPlace(ledger), receivedAt, trackingDate, ...nothing, removal });
}
