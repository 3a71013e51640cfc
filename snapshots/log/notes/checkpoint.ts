import { Failure } from '../../../lib/failure.ts';
import type { Signer } from '../../signing.ts';
import { decodeBase64, parseNote, verifierKey } from './note.ts';
import type { Note } from './note.ts';

/**
 * The head of a log (c2sp.org/tlog-checkpoint): its name, its number of entries, and its root hash.
 */
export interface TreeHead {
  origin: string;
  size: number;
  root: Buffer;
}

export interface Checkpoint extends TreeHead {
  note: Note;
}

/** @param name of what is read, for the message. @throws Failure if the bytes are no checkpoint. */
export function parseCheckpoint(bytes: Uint8Array, name: string): Checkpoint {
  const note = parseNote(bytes, name);
  const [origin = '', size = '', hash = ''] = note.text.split('\n');
  const root = decodeBase64(hash);
  if (origin === '' || !isSize(size) || root?.length !== 32)
    throw new Failure(`${name} is not a checkpoint: expected an origin, a tree size and a root hash`);
  return { origin, size: Number(size), root, note };
}

/** A whole number without leading zeroes, up to 2^53 - 1. A log is never empty: its first commit names the heads. */
function isSize(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));
}

export function checkpointText({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** The head of a log, signed with each of the keys, under its origin. */
export function signedHead(head: TreeHead, signers: readonly Signer[]): Checkpoint {
  const text = checkpointText(head);
  const signatures = signers.map((signer) => {
    const { name, keyId } = verifierKey(head.origin, signer.publicKey);
    return { keyName: name, keyId, bytes: signer.sign(Buffer.from(text)) };
  });
  return { ...head, note: { text, signatures } };
}
