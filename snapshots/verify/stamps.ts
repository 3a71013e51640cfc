import { hash } from 'node:crypto';
import { orNull } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, STAMPS, isStampKey } from '../layout.ts';
import { checkpointText, parseCheckpoint } from '../log/notes/checkpoint.ts';
import type { Checkpoint } from '../log/notes/checkpoint.ts';
import { judgeByPolicy } from '../log/notes/policy.ts';
import type { Policy } from '../log/notes/policy.ts';
import { keysBelow } from '../read.ts';
import type { Reporter } from './findings.ts';
import type { VerifyOptions } from './report.ts';
import { bytesOf } from './stored.ts';

/** An object below `log/stamps/`. */
export interface Stamp {
  key: string;
  /** The size of the log that it is about. */
  size: number;
  bytes: Buffer;
  /** The cosigned checkpoint; null if it is none. */
  copy: Checkpoint | null;
}

/** Everything below `log/stamps/`, by size. */
export async function readStamps(store: ObjectStore): Promise<Stamp[]> {
  const stamps = await manyAtOnce(await keysBelow(store, STAMPS), async (key): Promise<Stamp> => {
    const size = Number(/^log\/stamps\/(\d{1,15})\//.exec(key)?.[1] ?? 0);
    const bytes = (await bytesOf(store, key)) ?? Buffer.alloc(0);
    return { key, size, bytes, copy: orNull(() => parseCheckpoint(bytes, key)) };
  });
  return stamps.toSorted((a, b) => a.size - b.size);
}

const DAY_MS = 86_400_000;

/** Compares the copies and stamps with the tree, and judges the policy. */
export function checkStamps(
  checkpoint: Checkpoint,
  stamps: readonly Stamp[],
  tree: { roots: ReadonlyMap<number, Buffer>; times: ReadonlyMap<number, string> },
  options: VerifyOptions,
  report: Reporter,
): void {
  const { origin } = checkpoint;
  const candidates: Checkpoint[] = [checkpoint];
  for (const { key, size, bytes, copy } of stamps) {
    const root = tree.roots.get(size);
    const text = root && checkpointText({ origin, size, root });
    if (!isStampKey(key)) report.unnamed([key]);
    else if (copy !== null && copy.note.text === text) candidates.push(copy);
    else if (key.endsWith('.checkpoint'))
      report.problem('log_damaged', [key], 'this copy of a checkpoint is not of this log');
    else if (text === undefined || !bytes.includes(hash('sha256', text, 'buffer')))
      report.problem('log_damaged', [key], 'this time stamp is not of this log');
    else
      report.note(
        'time_stamp',
        [key],
        `claims a time for ${size} entries; check, in a copy of the store: openssl ts -verify -digest ${sha256(text)} -in ${key} -CAfile AUTHORITY.pem`,
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
