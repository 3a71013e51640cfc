import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { Checkpoint, TreeHead } from './checkpoint.ts';
import { decodeEntry } from './entries.ts';
import type { LogEntry } from './entries.ts';
import { CHECKPOINT_KEY } from './layout.ts';
import { growingTree, rootOf } from './merkle.ts';
import { judgeByPolicy } from './policy.ts';
import type { Policy } from './policy.ts';
import { isSignedByLog, readCheckpoint, readEntries, tileReader } from './read.ts';
import { hashReader } from './tiles.ts';

export type LogProblemKind =
  | 'log_missing'
  | 'log_damaged'
  | 'log_unsigned'
  | 'log_rewritten'
  | 'log_without_quorum'
  | 'logged_not_published'
  | 'published_not_logged';
export type LogNoteKind = 'not_logged_yet' | 'log_cosigned';

export interface LogFinding<Kind> {
  kind: Kind;
  workspaceId: string | null;
  snapshotId: string | null;
  message: string;
}

export interface LogReport {
  problems: LogFinding<LogProblemKind>[];
  notes: LogFinding<LogNoteKind>[];
  /** What to compare with the next time; null where there is no log. */
  head: TreeHead | null;
  entries: number;
}

export interface VerifyLogOptions {
  /** The keys of which one must have signed the checkpoint; null: its signature is not checked. */
  trust: Trust | null;
  /** The head of an earlier visit. */
  seen: TreeHead | null;
  policy: Policy | null;
  /** What each workspace published, as its chain says, oldest first. */
  published: ReadonlyMap<string, readonly LogEntry[]>;
}

/** A publication takes its time before its pointer moves: an append in between does not see it. */
const GRACE_MS = 60 * 60 * 1000;

/**
 * Reads the whole log, compares every entry with its hash and the tree with its head, and holds the log and the
 * chains of manifests against each other. Reads only.
 */
export async function verifyLog(store: ObjectStore, options: VerifyLogOptions): Promise<LogReport> {
  const report: LogReport = { problems: [], notes: [], head: null, entries: 0 };
  const problem = (kind: LogProblemKind, message: string, about?: LogEntry) =>
    void report.problems.push(finding(kind, message, about));
  try {
    const checkpoint = await readCheckpoint(store);
    if (checkpoint === null) {
      if (options.seen !== null) problem('log_missing', 'the log that was seen before is gone');
      return report;
    }
    report.head = checkpoint;
    judgeCheckpoint(checkpoint, options, report);
    const logged = await readTree(store, checkpoint, options.seen, problem);
    report.entries = logged.length;
    compareWithChains(logged, options.published, report);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problem('log_damaged', error.message);
  }
  return report;
}

function finding<Kind>(kind: Kind, message: string, about?: LogEntry): LogFinding<Kind> {
  return { kind, message, workspaceId: about?.workspaceId ?? null, snapshotId: about?.snapshotId ?? null };
}

function judgeCheckpoint(checkpoint: Checkpoint, options: VerifyLogOptions, report: LogReport): void {
  const { trust, policy, seen } = options;
  const problem = (kind: LogProblemKind, message: string) => report.problems.push(finding(kind, message));
  if (trust !== null && !isSignedByLog(checkpoint.note, checkpoint.origin, trust.values()))
    problem('log_unsigned', `${CHECKPOINT_KEY} is not signed with a trusted key`);
  if (seen !== null && seen.origin !== checkpoint.origin)
    problem('log_rewritten', `this is the log ${checkpoint.origin}; the log seen before is ${seen.origin}`);
  if (policy === null) return;
  const verdict = judgeByPolicy(policy, checkpoint.note, checkpoint.origin);
  if (!verdict.isSignedByLog)
    problem('log_unsigned', `${CHECKPOINT_KEY} is not signed by a log of the policy`);
  for (const name of verdict.wrong)
    problem('log_unsigned', `${CHECKPOINT_KEY} has a signature of ${name} that does not verify`);
  if (!verdict.hasQuorum)
    problem('log_without_quorum', 'the checkpoint does not have the cosignatures that the policy demands');
  for (const { name, seconds } of verdict.cosigned)
    report.notes.push(
      finding('log_cosigned', `witness ${name} cosigned ${checkpoint.size} entries at ${instantOf(seconds)}`),
    );
}

function instantOf(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString();
}

/** The entries, where they hash to the head; what does not fit is reported. */
async function readTree(
  store: ObjectStore,
  checkpoint: Checkpoint,
  seen: TreeHead | null,
  problem: (kind: LogProblemKind, message: string) => void,
): Promise<LogEntry[]> {
  const tree = growingTree();
  const entries: LogEntry[] = [];
  const compareWithSeen = () => {
    if (seen?.size === tree.size && !tree.root().equals(seen.root))
      problem('log_rewritten', `the first ${seen.size} entries are not those that were seen before`);
  };
  compareWithSeen();
  for await (const { index, bytes, leaf } of readEntries(store, checkpoint)) {
    entries.push(decodeEntry(bytes, `entry ${index} of the log`));
    tree.add(leaf);
    compareWithSeen();
  }
  if (seen !== null && seen.size > checkpoint.size)
    problem(
      'log_rewritten',
      `the log has ${checkpoint.size} entries, and had ${seen.size} when it was seen before`,
    );
  if (!tree.root().equals(checkpoint.root))
    problem('log_damaged', `${CHECKPOINT_KEY} is not the head of the entries in the log`);
  // The entries were read from the lowest tiles alone; proofs need those above too.
  const fromTiles = await rootOf(checkpoint.size, hashReader(checkpoint.size, tileReader(store)));
  if (!fromTiles.equals(checkpoint.root))
    problem('log_damaged', `the tiles of the log do not lead to ${CHECKPOINT_KEY}`);
  return entries;
}

/** Every entry's manifest lies in its chain, and every manifest older than the last append is in the log. */
function compareWithChains(
  logged: readonly LogEntry[],
  published: VerifyLogOptions['published'],
  report: LogReport,
): void {
  const manifests = new Set(logged.map(({ manifestSha256 }) => manifestSha256));
  const newest = logged.reduce(
    (latest, { publishedAt }) => Math.max(latest, Date.parse(publishedAt)),
    -Infinity,
  );
  for (const entry of logged) {
    const snapshot = published.get(entry.workspaceId)?.[entry.sequence - 1];
    if (snapshot !== undefined && sameSnapshot(snapshot, entry)) continue;
    const message = `the log has it as snapshot ${entry.sequence} of the workspace, and the chain has not`;
    report.problems.push(finding('logged_not_published', message, entry));
  }
  for (const snapshot of [...published.values()].flat()) {
    if (manifests.has(snapshot.manifestSha256)) continue;
    const isLate = Date.parse(snapshot.publishedAt) < newest - GRACE_MS;
    if (isLate)
      report.problems.push(
        finding(
          'published_not_logged',
          'it was published before the last append, and is not in the log',
          snapshot,
        ),
      );
    else report.notes.push(finding('not_logged_yet', 'it is not in the log yet', snapshot));
  }
}

function sameSnapshot(a: LogEntry, b: LogEntry): boolean {
  return (
    a.snapshotId === b.snapshotId && a.manifestSha256 === b.manifestSha256 && a.publishedAt === b.publishedAt
  );
}
