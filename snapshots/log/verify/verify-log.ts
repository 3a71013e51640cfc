import { Failure } from '../../../lib/failure.ts';
import type { Trust } from '../../signing.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { reporter } from '../../verify/findings.ts';
import type { Findings, Reporter } from '../../verify/findings.ts';
import { asOfOfId } from '../../manifest.ts';
import type { Checkpoint, TreeHead } from '../notes/checkpoint.ts';
import { decodeEntry } from '../entries.ts';
import type { LogEntry } from '../entries.ts';
import { keptHeads } from './kept-heads.ts';
import { CHECKPOINT_KEY, keptCheckpointKey } from '../layout.ts';
import { judgeByPolicy } from '../notes/policy.ts';
import type { Policy } from '../notes/policy.ts';
import { isSignedByLog, readEntries } from '../read.ts';
import { growingTree } from '../tree/tiles.ts';
import { checkTiles } from './verify-tiles.ts';

export interface VerifyLogOptions {
  /** The checkpoint must be signed with one of these keys; null: its signature is not checked. */
  trust: Trust | null;
  /** The heads of the state file, or of checkpoints that the auditor kept: the log must continue each. */
  seen: readonly TreeHead[];
  policy: Policy | null;
  /** The published snapshots of each workspace, by its chain, oldest first. */
  published: ReadonlyMap<string, readonly LogEntry[]>;
}

/** A publication notes its time before it moves the pointer, so an append in between does not see it yet. */
const GRACE_MS = 60 * 60 * 1000;

/**
 * Reads the whole log; compares every entry with its hash, the tree with its head, and the log with the chains of
 * manifests. Adds its findings to the report.
 * @param checkpoint must be read before the chains, so that every logged snapshot is in its chain; null: no log
 * @returns the number of entries that were read
 */
export async function verifyLog(
  store: ObjectStore,
  checkpoint: Checkpoint | null,
  options: VerifyLogOptions,
  findings: Findings,
): Promise<number> {
  const report = reporter(null, findings);
  if (checkpoint === null) {
    if (options.seen.length > 0)
      report.problem('log_missing', [CHECKPOINT_KEY], 'the log that was recorded before is gone');
    return 0;
  }
  try {
    judgeCheckpoint(checkpoint, options, report);
    const kept = await keptHeads(store, checkpoint, report);
    const logged = await readTree(store, checkpoint, [...options.seen, ...kept], report);
    checkOrder(logged, new Set(kept.map(({ size }) => size)), report);
    compareWithChains(logged, options.published, findings);
    return logged.length;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report.problem('log_damaged', [], error.message);
    return 0;
  }
}

function judgeCheckpoint(checkpoint: Checkpoint, options: VerifyLogOptions, report: Reporter): void {
  const { trust, policy, seen } = options;
  const { origin, note, size } = checkpoint;
  if (trust !== null && !isSignedByLog(note, origin, trust.values()))
    report.problem('log_unsigned', [CHECKPOINT_KEY], 'it is not signed with a trusted key');
  for (const other of new Set(seen.map((head) => head.origin).filter((name) => name !== origin)))
    report.problem('log_rewritten', [CHECKPOINT_KEY], `it is of the log ${origin}; ${other} was seen before`);
  if (policy === null) return;
  const verdict = judgeByPolicy(policy, note, origin);
  if (!verdict.isSignedByLog)
    report.problem('log_unsigned', [CHECKPOINT_KEY], 'it is not signed by a log of the policy');
  for (const name of verdict.wrong)
    report.problem('log_unsigned', [CHECKPOINT_KEY], `its signature of ${name} does not verify`);
  if (!verdict.hasQuorum)
    report.problem('log_without_quorum', [CHECKPOINT_KEY], 'it lacks cosignatures that the policy requires');
  for (const { name, seconds } of verdict.cosigned) {
    const at = new Date(Number(seconds) * 1000).toISOString();
    report.note('log_cosigned', [CHECKPOINT_KEY], `witness ${name} cosigned ${size} entries at ${at}`);
  }
}

/** Reads all entries, and reports a head or a tile that does not match them. */
async function readTree(
  store: ObjectStore,
  { size, root }: Checkpoint,
  heads: readonly TreeHead[],
  report: Reporter,
): Promise<LogEntry[]> {
  const tree = growingTree();
  const entries: LogEntry[] = [];
  for await (const { index, bytes, leaf } of readEntries(store, { size })) {
    entries.push(decodeEntry(bytes, `entry ${index} of the log`));
    tree.add(leaf);
  }
  const most = Math.max(0, ...heads.map((head) => head.size));
  if (most > size)
    report.problem('log_rewritten', [CHECKPOINT_KEY], `it has ${size} entries; ${most} were seen before`);
  for (const seen of heads.filter((head) => head.size <= size)) {
    if ((await tree.root(seen.size)).equals(seen.root)) continue;
    const message = `the first ${seen.size} entries are not those that were seen before`;
    report.problem('log_rewritten', [], message);
  }
  if (!(await tree.root(size)).equals(root))
    report.problem('log_damaged', [CHECKPOINT_KEY], 'it is not the head of the entries in the log');
  await checkTiles(store, tree, report);
  return entries;
}

/**
 * Checks that the entries of each append are in order of time: proofs are found by binary search, from one kept
 * checkpoint to the next.
 */
function checkOrder(entries: readonly LogEntry[], kept: ReadonlySet<number>, report: Reporter): void {
  for (const [index, { publishedAt }] of entries.entries()) {
    if (index === 0 || kept.has(index) || publishedAt >= entries[index - 1]!.publishedAt) continue;
    report.problem('log_damaged', [keptCheckpointKey(index)], 'the checkpoint of an append is missing');
  }
}

/** Checks that every entry's manifest is in its chain, and every manifest older than the last append is in the log. */
function compareWithChains(
  logged: readonly LogEntry[],
  published: VerifyLogOptions['published'],
  findings: Findings,
): void {
  const manifests = new Set(logged.map(({ manifestSha256 }) => manifestSha256));
  let newest = -Infinity;
  for (const entry of logged) {
    newest = Math.max(newest, Date.parse(entry.publishedAt));
    const snapshot = published.get(entry.workspaceId)?.[entry.sequence - 1];
    if (snapshot !== undefined && isSame(snapshot, entry)) continue;
    const message = `the log contains ${entry.snapshotId} as snapshot ${entry.sequence} of workspace ${entry.workspaceId}, whose chain does not contain it`;
    reporter(entry.workspaceId, findings).problem('logged_not_published', [], message, refOf(entry));
  }
  for (const snapshot of [...published.values()].flat()) {
    if (manifests.has(snapshot.manifestSha256)) continue;
    const report = reporter(snapshot.workspaceId, findings);
    if (Date.parse(snapshot.publishedAt) < newest - GRACE_MS)
      report.problem('published_not_logged', [], 'the last append did not include it', refOf(snapshot));
    else report.note('not_logged_yet', [], 'it is not in the log yet', refOf(snapshot));
  }
}

function refOf({ snapshotId }: LogEntry) {
  return { snapshotId, asOf: asOfOfId(snapshotId) };
}

function isSame(a: LogEntry, b: LogEntry): boolean {
  return (
    a.snapshotId === b.snapshotId && a.manifestSha256 === b.manifestSha256 && a.publishedAt === b.publishedAt
  );
}
