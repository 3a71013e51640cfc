import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { openDatabase } from '../duckdb.ts';
import { OBJECTS } from '../lake/layout.ts';
import { keysIn, nextPlace, readLedger, readRecorded, recordDelivery } from '../lake/ledger.ts';
import type { LedgerEntry } from '../lake/delivery.ts';
import { exchangeReplaced } from '../lake/removals.ts';
import { rewriteObjects } from './rewrite.ts';
import type { Affected, RewriteEffects } from './rewrite.ts';

export interface RemoveOptions {
  lake: ObjectStore;
  workspaceId: string;
  /** Only find what would be removed. */
  isDryRun: boolean;
  threads?: number;
}

export interface RemoveEffects extends RewriteEffects {
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
 * then deletes the old objects. Killed before the record, it has changed nothing for readers; killed later,
 * it goes on when it is run again.
 * @throws Failure if the lake never had the workspace
 */
export async function removeWorkspace(
  options: RemoveOptions,
  effects: RemoveEffects,
): Promise<RemovalReport> {
  const { lake, isDryRun } = options;
  const written = new Set<string>();
  for (;;) {
    const ledger = await readLedger(lake);
    const affected = await removeFrom(ledger, written, options, effects);
    // Another program took the number of the entry first: start again, with what it delivered.
    if (affected === null) continue;
    const leftovers = await findLeftovers(lake, written, effects.clock.now());
    if (!isDryRun) for (const key of leftovers) await lake.delete(key);
    return { affected, leftovers: leftovers.length };
  }
}

/** Returns null if the entry could not be recorded. */
async function removeFrom(
  ledger: readonly LedgerEntry[],
  written: Set<string>,
  options: RemoveOptions,
  effects: RemoveEffects,
): Promise<Affected[] | null> {
  const { lake, workspaceId, isDryRun, threads } = options;
  await using scratch = await makeScratch('remove');
  using database = await openDatabase({ scratch: scratch.path, threads });
  const target = { connection: await database.connect(), lake, scratch: scratch.path };
  const { affected, replaced } = await rewriteObjects(target, ledger, options, effects);
  const workspaceSha256 = sha256(workspaceId);
  const wasRemoved = ledger.some(({ removal }) => removal?.workspaceSha256 === workspaceSha256);
  if (affected.length === 0 && !wasRemoved) throw new Failure(`${lake.url} has no workspace ${workspaceId}`);
  if (isDryRun) return affected;
  // An entry also if there are only leftovers: an ingest that found one of them as its own object loses the number, starts
  // again and writes it again.
  if (affected.length === 0 && (await findLeftovers(lake, written, effects.clock.now())).length === 0)
    return affected;
  for (const { by } of replaced) if (by !== null) written.add(by.key);
  const receivedAt = new Date(effects.clock.now()).toISOString();
  const nothing = { sources: [], tracking: [], runs: [], runBrands: null, runIds: null, rejects: null };
  const isRecorded = await recordDelivery(lake, {
    ...nextPlace(ledger),
    ...nothing,
    receivedAt,
    trackingDate: receivedAt.slice(0, 10),
    removal: { workspaceSha256, replaced },
  });
  return isRecorded ? affected : null;
}

/** An ingest that was killed left what is older: no ingest takes as long. */
const DAY_MS = 86_400_000;

/**
 * The keys of objects that no reader needs any more: a removal replaced them, this one wrote them in vain, or a killed ingest
 * left them. Any of them may have rows of the workspace.
 * @param now in milliseconds
 */
async function findLeftovers(
  lake: ObjectStore,
  written: ReadonlySet<string>,
  now: number,
): Promise<string[]> {
  const recorded = await readRecorded(lake);
  const named = keysIn(exchangeReplaced(recorded));
  const replaced = new Set(recorded.flatMap(({ removal }) => removal?.replaced ?? []).map(({ key }) => key));
  const found: string[] = [];
  for (const prefix of OBJECTS) {
    for await (const { key, modifiedAt } of lake.list(prefix)) {
      const isLeft = replaced.has(key) || written.has(key) || modifiedAt < now - DAY_MS;
      if (isLeft && !named.has(key)) found.push(key);
    }
  }
  return found;
}
