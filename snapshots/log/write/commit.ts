import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Entry } from '../../../lib/store/store.ts';
import { headsKey, historyKey } from '../../layout.ts';
import type { Signer } from '../../signing.ts';
import { encodeEntry } from '../entries.ts';
import type { LogEntry, PublishedEntry, WithdrawnEntry } from '../entries.ts';
import { afterUnhashed, encodeHeads, encodeHistory, moveHead } from '../history.ts';
import type { History } from '../history.ts';
import { encodedHistories } from '../fold.ts';
import { signedHead } from '../notes/checkpoint.ts';
import { readCheckpoint } from '../read.ts';
import { rootOfEdge } from '../tree/edge.ts';
import { dropArchive, writeArchive } from './archive.ts';
import { swapCommitted, withCommitted } from './committed.ts';
import type { Committed, StoredCommitted } from './committed.ts';
import { completeLog } from './complete.ts';
import { otherLog, refuseOtherKey, showCheckpoint, shownBy } from './shown.ts';
import type { LogParts } from './shown.ts';
import { readLogState } from './state.ts';
import type { LogState } from './state.ts';
import { createExactly, writeExactly } from './create-exactly.ts';
import { emptyLogEdge, growLog } from './grow.ts';

export interface CommitParts extends LogParts {
  clock: Clock;
  /** Publish although the clock and the times of the log are far apart. */
  acceptClock?: boolean | undefined;
}

/** An entry to be: its time, its sequence and the history with it are set by the commit. */
export type Draft =
  | Omit<PublishedEntry, 'at' | 'sequence' | 'history'>
  | Omit<WithdrawnEntry, 'at' | 'history'>;

export interface Proposal {
  /** In the order of the log. */
  drafts: readonly Draft[];
  /** Commit even without drafts: a rotation of the key. */
  nextSigner?: Signer;
}

/**
 * Appends entries to the log. The swap of what the lake calls committed is the moment of publication; the store repeats
 * it. A commit that loses the race begins again, and leaves nothing signed.
 * @param propose decides what to append, by the state that it would follow; called again after a lost race
 * @throws Failure if lake, store and key do not belong together.
 */
export async function commitToLog(
  parts: CommitParts,
  propose: (state: LogState) => Promise<Proposal>,
): Promise<void> {
  for (;;) {
    const attempt = await withCommitted(parts, (before) => attemptCommit(parts, before, propose));
    if (attempt === 'nothing to append') return;
    if (attempt !== 'overtaken') return await showCommit(parts, attempt);
  }
}

/**
 * Changes the key: a commit without entries of workspaces, signed with both.
 * @param isOldKeyLost signs with the next key alone; readers that trust it by their settings go on
 * @throws Failure if nothing may be committed, or the next key has signed more than the lake remembers.
 */
export async function rotateLog(parts: CommitParts, nextSigner: Signer, isOldKeyLost = false): Promise<void> {
  // In a lake that is older than a rotation, the old key would replace what the next one signed.
  await withCommitted(parts, async (committed) => {
    if (committed !== null) await shownBy({ ...parts, signer: nextSigner }, committed);
  });
  const rotating = isOldKeyLost ? { ...parts, signer: nextSigner, isOldKeyLost } : parts;
  await commitToLog(rotating, () => Promise.resolve({ drafts: [], nextSigner }));
}

/** What was committed, after what, and what the store still lacks of it. */
interface Attempt {
  /** The version of the store's checkpoint that showed what was committed before. */
  shown: string | null;
  proposal: Proposal;
  committed: Committed;
  objects: Entry[];
}

async function attemptCommit(
  parts: CommitParts,
  before: StoredCommitted | null,
  propose: (state: LogState) => Promise<Proposal>,
): Promise<Attempt | 'nothing to append' | 'overtaken'> {
  const { lake } = parts;
  const state = withMemory(await prepareCommit(parts, before));
  const proposal = await propose(state);
  if (proposal.drafts.length === 0 && proposal.nextSigner === undefined) return 'nothing to append';
  const { committed, objects } = await stage(parts, state, proposal);
  // A crash up to here publishes nothing: heads and histories that no entry names, and an archive that nothing names.
  if (!(await swapCommitted(lake, committed, before?.version ?? null))) {
    await dropArchive(lake, committed.archive);
    return 'overtaken';
  }
  return { shown: state.shown, proposal, committed, objects };
}

/** Reads each history once, for the proposal and for its entries. */
function withMemory<State extends LogState>(state: State): State {
  const histories = new Map<string, Promise<History>>();
  const historyOf = async (id: string) =>
    await histories.getOrInsertComputed(id, async () => await state.historyOf(id));
  return { ...state, historyOf };
}

/**
 * From here on the entries are published, so nothing that fails may begin again. After a crash here the store shows the
 * log before, which is whole; the next command that writes completes it.
 */
async function showCommit(
  parts: CommitParts,
  { shown, proposal, committed, objects }: Attempt,
): Promise<void> {
  const { store, signer } = parts;
  // Nothing names what a killed commit, or a thief, left beyond the shown head.
  await writeExactly(store, objects);
  // After a crash here the tiles are ahead of the checkpoint, and no reader looks at them. Otherwise another commit was shown meanwhile, or may have followed.
  if (!(await showCheckpoint(store, committed.checkpoint, shown)))
    await withCommitted(parts, (now) =>
      completeLog({ ...parts, signer: proposal.nextSigner ?? signer }, now!),
    );
}

/** What a commit would follow, shown by the store. @throws Failure if nothing may be committed after this. */
export async function prepareCommit(
  parts: CommitParts,
  before: StoredCommitted | null,
): Promise<LogState & Pick<Attempt, 'shown'>> {
  const { store, lake } = parts;
  if (before === null) {
    const checkpoint = await readCheckpoint(store);
    if (checkpoint === null) return { ...(await readLogState(store, null)), shown: null };
    if (checkpoint.origin !== parts.origin) throw otherLog(store, checkpoint, parts.origin);
    throw new Failure(
      `${store.url} has a log, but ${lake.url} does not remember it: mount or restore the lake that it was published from. Only if that is lost, "audit log complete --from-store" lets this one continue the log`,
    );
  }
  refuseOtherKey(before, parts);
  timeAfter(before, parts);
  const shown = await completeLog(parts, before);
  return { ...(await readLogState(store, before)), shown };
}

/** Writes all that the entries name to the store, the entries to the lake, and builds what is to be committed. */
async function stage(
  parts: CommitParts,
  state: LogState,
  { drafts, nextSigner }: Proposal,
): Promise<{ committed: Committed; objects: Entry[] }> {
  const { store, lake, origin, signer } = parts;
  const { committed: before } = state;
  const at = timeAfter(before, parts);
  const { entries, histories } = await entriesOf(state, drafts, at);
  const heads = new Map(state.heads);
  for (const entry of entries) moveHead(heads, entry);
  const headsBytes = encodeHeads(heads);
  const headsSha256 = sha256(headsBytes);
  entries.push({ kind: 'heads', at, heads: headsSha256 });
  const bytes = entries.map(encodeEntry);
  const edge = before?.edge ?? emptyLogEdge;
  const grown = growLog(edge, bytes);
  const newest = encodedHistories(histories);
  await createExactly(store, [
    ...newest.map((each) => ({ key: historyKey(each.workspaceId, each.hash), bytes: each.bytes })),
    { key: headsKey(headsSha256), bytes: headsBytes },
  ]);
  const archive = await writeArchive(lake, origin, {
    edge,
    entries: bytes,
    previous: before?.archive ?? null,
  });
  const signers = new Set([signer, nextSigner ?? signer]);
  const checkpoint = signedHead({ origin, size: grown.edge.size, root: rootOfEdge(grown.edge) }, [
    ...signers,
  ]);
  const committed = {
    checkpoint,
    edge: grown.edge,
    at,
    heads: headsSha256,
    archive,
    signer: (nextSigner ?? signer).fingerprint,
  };
  return { committed, objects: grown.objects };
}

/** The clock may be so far behind the newest entry; then its time is used, because times must not decrease. */
const BEHIND_MS = 5 * 60_000;
/** One entry of a clock that is ahead makes all later times wrong. */
const AHEAD_MS = 60 * 86_400_000;

/** The time of the next entry. @throws Failure if the clock and the newest entry are far apart. */
function timeAfter(before: Committed | null, { clock, acceptClock = false }: CommitParts): string {
  const time = new Date(clock.now()).toISOString();
  if (before === null) return time;
  const newest = before.at;
  const aheadMs = clock.now() - Date.parse(newest);
  if (!acceptClock && (aheadMs < -BEHIND_MS || aheadMs > AHEAD_MS))
    throw new Failure(
      `the clock says ${time}, and the newest entry of the log is of ${newest}: correct the clock; if it is right, repeat the command with --accept-clock`,
    );
  return newest > time ? newest : time;
}

/** The entries of the drafts, and the newest history of each workspace. */
async function entriesOf(state: LogState, drafts: readonly Draft[], at: string) {
  const ids = new Set(drafts.map(({ workspaceId }) => workspaceId));
  const known = await manyAtOnce(ids, async (id) => [id, await state.historyOf(id)] as const);
  const histories = new Map(known);
  const entries = drafts.map((draft): LogEntry => {
    const before = histories.get(draft.workspaceId)!;
    const sequence = before.publications.length + 1;
    const entry = draft.kind === 'published' ? { ...draft, at, sequence } : { ...draft, at };
    const history = afterUnhashed(before, entry);
    histories.set(draft.workspaceId, history);
    return { ...entry, history: sha256(encodeHistory(history)) };
  });
  return { entries, histories };
}
