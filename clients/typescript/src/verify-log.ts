import { createHash, verify as verifySignature } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { VerificationError } from './verification.ts';
import type { LogPosition } from './verification.ts';

/** An entry of the transparency log. */
interface LogEntry {
  workspaceId: string;
  sequence: number;
  snapshotId: string;
  manifestSha256: string;
  publishedAt: string;
}

interface Proof {
  entry: Buffer;
  index: number;
  siblings: Buffer[];
  checkpoint: { text: string; origin: string; size: number; root: Buffer; signatures: string[] };
}

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const base64 = (line: string): Buffer => Buffer.from(line, 'base64');
const half = (n: number): number => Math.floor(n / 2);

/**
 * Verifies a proof of inclusion (c2sp.org/tlog-proof) of an entry with the fields of `expected`.
 * @throws VerificationError `log`
 */
export function verifyInclusion(
  text: string,
  expected: LogEntry,
  keys: readonly { key: KeyObject; der: Buffer }[],
  logOrigin: string | undefined,
): LogPosition {
  const { entry, index, siblings, checkpoint } = parseProof(text);
  const { origin, size, root } = checkpoint;
  demand(logOrigin === undefined || origin === logOrigin, `the proof is of the log ${origin}`);
  const found = rootOf(sha256('\0', entry), index, size, siblings);
  demand(found?.equals(root) === true, 'the entry does not lead to the head of the log');
  demand(
    keys.some((key) => isSignedBy(checkpoint, key)),
    'the head of the log is not signed with the public key',
  );
  const says = JSON.parse(entry.toString()) as LogEntry;
  const names = Object.keys(expected) as (keyof LogEntry)[];
  demand(
    names.every((name) => says[name] === expected[name]),
    'the entry of the log is of another manifest',
  );
  return { origin, index, size, rootHash: root.toString('base64') };
}

function demand(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new VerificationError('log', otherwise);
}

const NUMBER = '(0|[1-9]\\d{0,14})';
const HASH = '[A-Za-z0-9+/]{43}=';
/** Lines of a proof, an empty line, a checkpoint, an empty line, its signatures. */
const FORMAT = new RegExp(
  `^c2sp\\.org/tlog-proof@v1\nextra ([A-Za-z0-9+/=]+)\nindex ${NUMBER}\n((?:${HASH}\n)*)\n` +
    `((\\S[^\n]*)\n${NUMBER}\n(${HASH})\n(?:[^\n]+\n)*)\n((?:— [^\n]+\n)+)$`,
);

function parseProof(text: string): Proof {
  const parts = FORMAT.exec(text);
  demand(parts !== null, 'the proof is malformed');
  const [, extra, index, siblings, body, origin, size, root, signatures] = parts as unknown as string[];
  return {
    entry: base64(extra!),
    index: Number(index),
    siblings: siblings!.split('\n').slice(0, -1).map(base64),
    checkpoint: {
      text: body!,
      origin: origin!,
      size: Number(size),
      root: base64(root!),
      signatures: signatures!.split('\n'),
    },
  };
}

/**
 * The root computed from the leaf and its siblings (RFC 9162, 2.1.3.2); null if their number does not match the size.
 */
function rootOf(leaf: Buffer, index: number, size: number, siblings: readonly Buffer[]): Buffer | null {
  if (index >= size) return null;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of siblings) {
    if (last === 0) return null;
    const isRight = at % 2 === 1 || at === last;
    hash = isRight ? sha256('\x01', sibling, hash) : sha256('\x01', hash, sibling);
    if (isRight) while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hash : null;
}

/** Verifies a signed note (c2sp.org/signed-note): a line has the log's name, then key id and signature in base64. */
function isSignedBy(
  { text, origin, signatures }: Proof['checkpoint'],
  { key, der }: { key: KeyObject; der: Buffer },
): boolean {
  const id = sha256(`${origin}\n\x01`, der.subarray(-32)).subarray(0, 4);
  const own = signatures.filter((line) => line.startsWith(`— ${origin} `));
  return own
    .map((line) => base64(line.slice(`— ${origin} `.length)))
    .some(
      (bytes) =>
        bytes.subarray(0, 4).equals(id) && verifySignature(null, Buffer.from(text), key, bytes.subarray(4)),
    );
}
