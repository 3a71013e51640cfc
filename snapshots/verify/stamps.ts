import { orNull } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, STAMPS, isStampKey, stampedHeadKey } from '../layout.ts';
import { checkpointText, parseCheckpoint } from '../log/notes/checkpoint.ts';
import type { Checkpoint } from '../log/notes/checkpoint.ts';
import { judgeByPolicy } from '../log/notes/policy.ts';
import type { Policy } from '../log/notes/policy.ts';
import { keysBelow } from '../read.ts';
import type { Reporter } from './findings.ts';
import type { VerifyOptions } from './report.ts';
import { bytesOf } from './stored.ts';

/** What `log/stamps/` has about the log at one size. */
export interface StampedHead {
  size: number;
  /** Copies of the checkpoint with cosignatures, by key; null if it is none. */
  copies: Map<string, Checkpoint | null>;
  /** Keys of RFC 3161 replies. */
  timestamps: string[];
  /** The bytes that the time stamps are over. */
  head: string | null;
  unknown: string[];
}

/** Reads everything below `log/stamps/`. */
export async function stampedHeads(store: ObjectStore): Promise<StampedHead[]> {
  const bySize = new Map<number, StampedHead>();
  await manyAtOnce(await keysBelow(store, STAMPS), async (key) => {
    const size = Number(/^log\/stamps\/(\d{1,15})\//.exec(key)?.[1] ?? 0);
    const stamped: StampedHead = bySize.get(size) ?? {
      size,
      copies: new Map(),
      timestamps: [],
      head: null,
      unknown: [],
    };
    bySize.set(size, stamped);
    if (!isStampKey(key)) stamped.unknown.push(key);
    else if (key.endsWith('.tsr')) stamped.timestamps.push(key);
    else {
      const bytes = (await bytesOf(store, key)) ?? Buffer.alloc(0);
      if (key === stampedHeadKey(size)) stamped.head = bytes.toString('utf8');
      else
        stamped.copies.set(
          key,
          orNull(() => parseCheckpoint(bytes, key)),
        );
    }
  });
  return [...bySize.values()].toSorted((a, b) => a.size - b.size);
}

const DAY_MS = 86_400_000;

/** Compares the copies and stamps with the tree, and judges the policy. */
export function checkStamps(
  checkpoint: Checkpoint,
  stamps: readonly StampedHead[],
  tree: { roots: ReadonlyMap<number, Buffer>; times: ReadonlyMap<number, string> },
  options: VerifyOptions,
  report: Reporter,
): void {
  const { origin } = checkpoint;
  const candidates: Checkpoint[] = [checkpoint];
  for (const { size, copies, timestamps, head, unknown } of stamps) {
    report.extra(unknown);
    const root = tree.roots.get(size);
    const text = root === undefined ? null : checkpointText({ origin, size, root });
    for (const [key, copy] of copies) {
      if (copy?.note.text === text && copy !== null) candidates.push(copy);
      else report.problem('log_damaged', [key], 'this copy of a checkpoint is not of this log');
    }
    if (timestamps.length === 0) continue;
    if (head !== text)
      report.problem(
        'log_damaged',
        [stampedHeadKey(size)],
        'what the time stamps are over is not a head of this log',
      );
    for (const key of timestamps)
      report.note(
        'time_stamp',
        [key],
        `claims a time for ${size} entries; check, in a copy of the store: openssl ts -verify -data ${stampedHeadKey(size)} -in ${key} -CAfile AUTHORITY.pem`,
      );
  }
  if (options.policy !== undefined) judgePolicy(options.policy, candidates, tree.times, options, report);
}

/** The newest head with a quorum must be there, and every entry after it be young. */
function judgePolicy(
  policy: Policy,
  candidates: readonly Checkpoint[],
  times: ReadonlyMap<number, string>,
  { now, cosignedWithinMs = DAY_MS }: VerifyOptions,
  report: Reporter,
): void {
  const checkpoint = candidates[0]!;
  const { isSignedByLog, wrong } = judgeByPolicy(policy, checkpoint.note, checkpoint.origin);
  if (!isSignedByLog)
    report.problem('log_unsigned', [CHECKPOINT_KEY], 'it is not signed by a log of the policy');
  for (const name of wrong)
    report.problem('log_unsigned', [CHECKPOINT_KEY], `its signature of ${name} does not verify`);
  const judged = candidates
    .map((each) => ({ ...each, verdict: judgeByPolicy(policy, each.note, each.origin) }))
    .filter(({ verdict }) => verdict.hasQuorum && verdict.wrong.length === 0)
    .toSorted((a, b) => b.size - a.size);
  const [best] = judged;
  if (best === undefined) {
    report.problem(
      'log_without_quorum',
      [CHECKPOINT_KEY],
      'no head has the cosignatures that the policy requires',
    );
    return;
  }
  const next = best.size === checkpoint.size ? undefined : times.get(best.size);
  if (next !== undefined && now - Date.parse(next) > cosignedWithinMs) {
    const message = `the newest head with the cosignatures that the policy requires has ${best.size} of ${checkpoint.size} entries, and the next entry is of ${next}`;
    report.problem('log_without_quorum', [CHECKPOINT_KEY], message);
  }
  for (const { name, seconds } of best.verdict.cosigned)
    report.note(
      'cosigned',
      [CHECKPOINT_KEY],
      `witness ${name} cosigned ${best.size} entries at ${new Date(Number(seconds) * 1000).toISOString()}`,
    );
}
