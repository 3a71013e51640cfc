import { decodeBase64, encodeBase64, encodeText, isEqual, isSigned, sha256 } from './bytes.ts';
import type { Bytes, PublicKey } from './bytes.ts';
import { demand } from './verification.ts';
import type { LogPosition, SnapshotProof } from './verification.ts';

interface Inclusion {
  entry: Bytes;
  index: number;
  siblings: Bytes[];
  checkpoint: Checkpoint;
}

interface Checkpoint {
  /** With its signatures. */
  note: string;
  text: string;
  origin: string;
  size: number;
  root: Bytes;
  signatures: NoteSignature[];
}

/** One signature line of a checkpoint. */
interface NoteSignature {
  name: string;
  keyId: Bytes;
  bytes: Bytes;
}

/**
 * Verifies that the log contains the entry of a proof (c2sp.org/tlog-proof), and that one of the keys signed its head.
 * @throws VerificationError `log`, `signature`
 */
export async function verifyInclusion(
  proof: Pick<SnapshotProof, 'entry' | 'inclusionProof' | 'checkpoint'>,
  keys: readonly PublicKey[],
  logOrigin: string | undefined,
): Promise<{ log: LogPosition; signer: PublicKey }> {
  const { entry, index, siblings, checkpoint } = parseProof(proof.inclusionProof);
  const { note, origin, size, root } = checkpoint;
  demand(logOrigin === undefined || origin === logOrigin, 'log', `the proof is of the log ${origin}`);
  demand(isEqual(entry, encodeText(proof.entry)), 'log', 'the proof is of another entry');
  demand(note === proof.checkpoint, 'log', 'the proof leads to another head of the log');
  const signer = await signerOf(checkpoint, keys);
  const found = await rootOf(await sha256(LEAF, entry), index, size, siblings);
  demand(found !== null && isEqual(found, root), 'log', 'the entry does not lead to the head of the log');
  return { log: { origin, index, size, rootHash: encodeBase64(root) }, signer };
}

const NUMBER = '(0|[1-9]\\d{0,14})';
const HASH = '[A-Za-z0-9+/]{43}=';
/** Lines of a proof, an empty line, a checkpoint, an empty line, its signatures. */
const FORMAT = new RegExp(
  `^c2sp\\.org/tlog-proof@v1\nextra ([A-Za-z0-9+/=]+)\nindex ${NUMBER}\n((?:${HASH}\n)*)\n` +
    `(((\\S[^\n]*)\n${NUMBER}\n(${HASH})\n(?:[^\n]+\n)*)\n((?:— [^\\s+]+ [A-Za-z0-9+/=]+\n)+))$`,
);

function parseProof(text: string): Inclusion {
  const parts = FORMAT.exec(text);
  demand(parts !== null, 'log', 'the proof is malformed');
  const [, extra, index, siblings, note, body, origin, size, root, signatures] = parts as unknown as string[];
  return {
    entry: bytesOf(extra!),
    index: Number(index),
    siblings: siblings!.split('\n').slice(0, -1).map(bytesOf),
    checkpoint: {
      note: note!,
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
  demand(bytes !== null, 'log', 'the proof is malformed');
  return bytes;
}

/** A line of a signed note (c2sp.org/signed-note) has a name, then key id and signature in base64. */
function signatureIn(line: string): NoteSignature {
  const [, name, base64] = line.split(' ');
  const bytes = bytesOf(base64!);
  return { name: name!, keyId: bytes.subarray(0, 4), bytes: bytes.subarray(4) };
}

/** What a leaf and an inner node of the tree begin with (RFC 9162, 2.1.1). */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];
const half = (n: number): number => Math.floor(n / 2);

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
    // An even one is the last one, which is not 0.
    if (isRight) while (at % 2 === 0) [at, last] = [half(at), half(last)];
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hash : null;
}

/**
 * The first of the keys that signed the checkpoint. One wrong line of any of them makes the whole checkpoint worthless.
 * @throws VerificationError `signature`
 */
async function signerOf(checkpoint: Checkpoint, keys: readonly PublicKey[]): Promise<PublicKey> {
  const verdicts = await Promise.all(keys.map(async (key) => await verdictsOn(checkpoint, key)));
  const signer = keys.find((_, index) => verdicts[index]!.length > 0);
  demand(signer !== undefined, 'signature', 'the head of the log is not signed with the public key');
  const isValid = verdicts.flat().every((verdict) => verdict);
  demand(isValid, 'signature', 'a signature of the public key is not over the head of the log');
  return signer;
}

/** For each signature line of the key, whether it is valid. */
async function verdictsOn({ text, origin, signatures }: Checkpoint, key: PublicKey): Promise<boolean[]> {
  // An Ed25519 key id of a signed note: the name, a newline, the type 1, the key.
  const hash = await sha256(encodeText(`${origin}\n`), Uint8Array.of(1), key.der.subarray(-32));
  const id = hash.subarray(0, 4);
  const own = signatures.filter(({ name, keyId }) => name === origin && isEqual(keyId, id));
  return await Promise.all(own.map(async ({ bytes }) => await isSigned(encodeText(text), bytes, key)));
}
