import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';

/** The signature type Ed25519 of C2SP signed-note. */
const ED25519 = 0x01;
const KEY_BYTES = 32;

/** One signature line. */
export interface NoteSignature {
  keyName: string;
  /** Eight hexadecimal digits. */
  keyId: string;
  /** What follows the key id: 64 bytes for Ed25519. */
  bytes: Buffer;
}

/** A signed note (c2sp.org/signed-note): text that ends with a newline, and signatures over it. */
export interface Note {
  text: string;
  signatures: NoteSignature[];
}

/** A public key and the name that it signs under: a *vkey*. */
export interface VerifierKey {
  name: string;
  keyId: string;
  publicKey: KeyObject;
}

/** A limit for readers of a store; enough for more than the 16 signatures that a reader must accept. */
export const NOTE_BYTES_MAX = 64 * 1024;
/** The text, an empty line, and lines of signatures. */
const NOTE = /^([^]+\n)\n((?:\u2014 [^\s+]+ [A-Za-z0-9+/]+={0,2}\n)+)$/;

/** @param name of the object or file, for the message. @throws Failure if the bytes are not a signed note. */
export function parseNote(bytes: Uint8Array, name: string): Note {
  const [, text, lines] = NOTE.exec(decodeText(bytes)) ?? [];
  const signatures = lines?.trimEnd().split('\n').map(parseSignature);
  if (!signatures?.every((signature) => signature !== null))
    throw new Failure(`${name} is not a signed note`);
  return { text: text!, signatures };
}

/** Null if its base64 is malformed. */
function parseSignature(line: string): NoteSignature | null {
  const [, keyName, base64] = line.split(' ');
  const bytes = decodeBase64(base64!);
  return bytes && { keyName: keyName!, keyId: bytes.toString('hex', 0, 4), bytes: bytes.subarray(4) };
}

export function formatSignature({ keyName, keyId, bytes }: NoteSignature): string {
  return `\u2014 ${keyName} ${Buffer.concat([Buffer.from(keyId, 'hex'), bytes]).toString('base64')}\n`;
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** Strict base64: null if the text is not the canonical encoding of its bytes (RFC 4648, section 4). */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** Empty if the bytes are not UTF-8, or contain control characters other than newline. */
function decodeText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[^\P{Cc}\n\u007f-\u009f]/u.test(text) ? '' : text;
  } catch {
    return '';
  }
}

/** @throws Failure if the name cannot be part of a signature line. */
export function verifierKey(name: string, publicKey: KeyObject): VerifierKey {
  if (!/^[^\s+]+$/.test(name))
    throw new Failure(`${JSON.stringify(name)} is not a key name: spaces and "+" are not allowed`);
  const material = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), rawKey(publicKey)]);
  return { name, publicKey, keyId: sha256(material).slice(0, 8) };
}

/** The vkey `NAME+ID+BASE64` (c2sp.org/signed-note). */
export function formatVerifierKey({ name, keyId, publicKey }: VerifierKey): string {
  return `${name}+${keyId}+${Buffer.concat([Buffer.of(ED25519), rawKey(publicKey)]).toString('base64')}`;
}

function rawKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
}

function isBy(signature: NoteSignature, key: VerifierKey): boolean {
  return signature.keyName === key.name && signature.keyId === key.keyId;
}

/**
 * Whether a note is signed with a key. `valid`: it is; `absent`: it is not; `wrong`: a signature in the key's name does
 * not verify, so the whole note must be rejected.
 */
export function judgeNote(note: Note, key: VerifierKey): 'valid' | 'absent' | 'wrong' {
  const own = note.signatures.filter((signature) => isBy(signature, key));
  if (own.length === 0) return 'absent';
  return own.every(({ bytes }) => verifies(note.text, bytes, key)) ? 'valid' : 'wrong';
}

function verifies(text: string, bytes: Buffer, { publicKey }: VerifierKey): boolean {
  return bytes.length === 64 && verify(null, Buffer.from(text), publicKey, bytes);
}
