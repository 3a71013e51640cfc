import { decodeBase64, encodeBase64, encodeText, isEqual, isSigned, sha256 } from './bytes.ts';
import type { Bytes, PublicKey } from './bytes.ts';
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
  entry: Bytes;
  index: number;
  siblings: Bytes[];
  checkpoint: { text: string; origin: string; size: number; root: Bytes; signatures: NoteSignature[] };
}

/** One signature line of a checkpoint. */
interface NoteSignature {
  name: string;
  keyId: Bytes;
  bytes: Bytes;
}

const half = (n: number): number => Math.floor(n / 2);

/**
 * Verifies a proof of inclusion (c2sp.org/tlog-proof) of an entry with the fields of `expected`.
 * @throws VerificationError `log`
 */
export async function verifyInclusion(
  text: string,
  expected: LogEntry,
  keys: readonly PublicKey[],
  logOrigin: string | undefined,
): Promise<LogPosition> {
  const { entry, index, siblings, checkpoint } = parseProof(text);
  const { origin, size, root } = checkpoint;
  demand(logOrigin === undefined || origin === logOrigin, `the proof is of the log ${origin}`);
  const found = await rootOf(await sha256(LEAF, entry), index, size, siblings);
  demand(found !== null && isEqual(found, root), 'the entry does not lead to the head of the log');
  const verdicts = (await Promise.all(keys.map(async (key) => await verdictsOn(checkpoint, key)))).flat();
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
  return { origin, index, size, rootHash: encodeBase64(root) };
}

function fieldsOf(entry: Bytes): Partial<LogEntry> {
  try {
    return (JSON.parse(new TextDecoder().decode(entry)) as LogEntry | null) ?? {};
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
function bytesOf(text: string): Bytes {
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

/** What a leaf and an inner node of the tree begin with (RFC 9162, 2.1.1). */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/**
 * The root computed from the leaf and its siblings (RFC 9162, 2.1.3.2); null if their number does not match the size.
 */
async function rootOf(
  leaf: Bytes,
  index: number,
  size: number,
  siblings: readonly Bytes[],
): Promise<Bytes | null> {
  if (index >= size) return null;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const sibling of siblings) {
    if (last === 0) return null;
    const isRight = at % 2 === 1 || at === last;
    hash = isRight ? await sha256(NODE, sibling, hash) : await sha256(NODE, hash, sibling);
    if (isRight) while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hash : null;
}

/** For each signature line of the key, whether it is valid. One wrong line makes the whole checkpoint worthless. */
async function verdictsOn(
  { text, origin, signatures }: Proof['checkpoint'],
  key: PublicKey,
): Promise<boolean[]> {
  // An Ed25519 key id of a signed note: the name, a newline, the type 1, the key.
  const id = (await sha256(encodeText(`${origin}\n`), Uint8Array.of(1), key.der.subarray(-32))).subarray(
    0,
    4,
  );
  const own = signatures.filter(({ name, keyId }) => name === origin && isEqual(keyId, id));
  return await Promise.all(own.map(async ({ bytes }) => await isSigned(encodeText(text), bytes, key)));
}
