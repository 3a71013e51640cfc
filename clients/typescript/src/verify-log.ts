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
  checkpoint: { text: string; origin: string; size: number; root: Buffer; signatures: NoteSignature[] };
}

/** One signature line of a checkpoint. */
interface NoteSignature {
  name: string;
  keyId: Buffer;
  bytes: Buffer;
}

interface Key {
  key: KeyObject;
  der: Buffer;
}

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Strict base64 (RFC 4648, section 4); null if the text is not the canonical encoding of its bytes. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

const half = (n: number): number => Math.floor(n / 2);

/**
 * Verifies a proof of inclusion (c2sp.org/tlog-proof) of an entry with the fields of `expected`.
 * @throws VerificationError `log`
 */
export function verifyInclusion(
  text: string,
  expected: LogEntry,
  keys: readonly Key[],
  logOrigin: string | undefined,
): LogPosition {
  const { entry, index, siblings, checkpoint } = parseProof(text);
  const { origin, size, root } = checkpoint;
  demand(logOrigin === undefined || origin === logOrigin, `the proof is of the log ${origin}`);
  const found = rootOf(sha256('\0', entry), index, size, siblings);
  demand(found?.equals(root) === true, 'the entry does not lead to the head of the log');
  const verdicts = keys.flatMap((key) => verdictsOn(checkpoint, key));
  demand(verdicts.length > 0, 'the head of the log is not signed with the public key');
  demand(
    verdicts.every((isValid) => isValid),
    'a signature of the public key is not over the head of the log',
  );
  const says = fieldsOf(entry);
  const names = Object.keys(expected) as (keyof LogEntry)[];
  demand(
    names.every((name) => says[name] === expected[name]),
    'the entry of the log is of another manifest',
  );
  return { origin, index, size, rootHash: root.toString('base64') };
}

function fieldsOf(entry: Buffer): Partial<LogEntry> {
  try {
    return (JSON.parse(entry.toString()) as LogEntry | null) ?? {};
  } catch {
    return {};
  }
}

function demand(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new VerificationError('log', otherwise);
}

const NUMBER = '(0|[1-9]\\d{0,14})';
const HASH = '[A-Za-z0-9+/]{43}=';
/** Lines of a proof, an empty line, a checkpoint, an empty line, its signatures. */
const FORMAT = new RegExp(
  `^c2sp\\.org/tlog-proof@v1\nextra ([A-Za-z0-9+/=]+)\nindex ${NUMBER}\n((?:${HASH}\n)*)\n` +
    `((\\S[^\n]*)\n${NUMBER}\n(${HASH})\n(?:[^\n]+\n)*)\n((?:— [^\\s+]+ [A-Za-z0-9+/=]+\n)+)$`,
);

function parseProof(text: string): Proof {
  const parts = FORMAT.exec(text);
  demand(parts !== null, 'the proof is malformed');
  const [, extra, index, siblings, body, origin, size, root, signatures] = parts as unknown as string[];
  return {
    entry: bytesOf(extra!),
    index: Number(index),
    siblings: siblings!.split('\n').slice(0, -1).map(bytesOf),
    checkpoint: {
      text: body!,
      origin: origin!,
      size: Number(size),
      root: bytesOf(root!),
      signatures: signatures!.split('\n').slice(0, -1).map(signatureIn),
    },
  };
}

/** @throws VerificationError `log` */
function bytesOf(text: string): Buffer {
  const bytes = decodeBase64(text);
  demand(bytes !== null, 'the proof is malformed');
  return bytes;
}

/** A line of a signed note (c2sp.org/signed-note) has a name, then key id and signature in base64. */
function signatureIn(line: string): NoteSignature {
  const [, name, base64] = line.split(' ');
  const bytes = bytesOf(base64!);
  demand(bytes.length > 4, 'the proof is malformed');
  return { name: name!, keyId: bytes.subarray(0, 4), bytes: bytes.subarray(4) };
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

/** For each signature line of the key, whether it is valid. One wrong line makes the whole checkpoint worthless. */
function verdictsOn({ text, origin, signatures }: Proof['checkpoint'], { key, der }: Key): boolean[] {
  const id = sha256(`${origin}\n\x01`, der.subarray(-32)).subarray(0, 4);
  return signatures
    .filter(({ name, keyId }) => name === origin && keyId.equals(id))
    .map(({ bytes }) => bytes.length === 64 && verifySignature(null, Buffer.from(text), key, bytes));
}
