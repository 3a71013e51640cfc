import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';

/** Signature types of C2SP signed-note: a plain Ed25519 signature, and a witness's dated cosignatures. */
export const ED25519 = 0x01;
export const COSIGNATURE = 0x04;
export const COSIGNATURE_ML_DSA_44 = 0x06;
export type SignatureType = typeof ED25519 | typeof COSIGNATURE | typeof COSIGNATURE_ML_DSA_44;

/**
 * The length of a raw public key of each type, and what comes before it in its DER form (SubjectPublicKeyInfo: RFC 8410,
 * RFC 9881).
 */
const keyTypes: Record<SignatureType, { bytes: number; der: string }> = {
  [ED25519]: { bytes: 32, der: '302a300506032b6570032100' },
  [COSIGNATURE]: { bytes: 32, der: '302a300506032b6570032100' },
  [COSIGNATURE_ML_DSA_44]: { bytes: 1312, der: '30820532300b06096086480165030403110382052100' },
};

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
  type: SignatureType;
  publicKey: KeyObject;
}

/** A limit against huge inputs; enough for more than the 16 signatures that a reader must accept. */
export const NOTE_BYTES_MAX = 64 * 1024;
const SIGNATURE_LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;

/** @param name of the object or file, for the message. @throws Failure if the bytes are not a signed note. */
export function parseNote(bytes: Uint8Array, name: string): Note {
  if (bytes.length > NOTE_BYTES_MAX) throw new Failure(`${name} is not a signed note: it is too long`);
  const all = decodeText(bytes);
  const end = all?.lastIndexOf('\n\n') ?? -1;
  if (all === null || end < 1 || !all.endsWith('\n'))
    throw new Failure(`${name} is not a signed note: it has no signatures`);
  const signatures = parseSignatureLines(all.slice(end + 2));
  if (signatures === null || signatures.length === 0)
    throw new Failure(`${name} is not a signed note: a signature line is malformed`);
  return { text: all.slice(0, end + 1), signatures };
}

/** @param lines each with its newline. Null if one of them is malformed. */
export function parseSignatureLines(lines: string): NoteSignature[] | null {
  if (lines !== '' && !lines.endsWith('\n')) return null;
  const parsed = lines.split('\n').slice(0, -1).map(parseSignature);
  return parsed.every((signature) => signature !== null) ? parsed : null;
}

function parseSignature(line: string): NoteSignature | null {
  const [, keyName, base64] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = base64 === undefined ? null : decodeBase64(base64);
  if (keyName === undefined || bytes === null || bytes.length < 5) return null;
  return { keyName, keyId: bytes.toString('hex', 0, 4), bytes: bytes.subarray(4) };
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

/** Null if the bytes are not UTF-8, or contain control characters other than newline. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[^\P{Cc}\n\u007f-\u009f]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** @throws Failure if the name cannot be part of a signature line. */
export function verifierKey(name: string, type: SignatureType, publicKey: KeyObject): VerifierKey {
  if (!/^[^\s+]+$/.test(name))
    throw new Failure(`${JSON.stringify(name)} is not a key name: spaces and "+" are not allowed`);
  const raw = rawKey(type, publicKey);
  const material = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), raw]);
  return { name, type, publicKey, keyId: sha256(material).slice(0, 8) };
}

/** The vkey `NAME+ID+BASE64` (c2sp.org/signed-note). */
export function formatVerifierKey({ name, keyId, type, publicKey }: VerifierKey): string {
  return `${name}+${keyId}+${Buffer.concat([Buffer.of(type), rawKey(type, publicKey)]).toString('base64')}`;
}

/** Parses a vkey. @throws Failure if it is of an unknown type, or its id does not match its key. */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, keyId, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = base64 === undefined ? null : decodeBase64(base64);
  const type = [ED25519, COSIGNATURE, COSIGNATURE_ML_DSA_44].find((each) => each === bytes?.[0]) as
    SignatureType | undefined;
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  if (name === undefined || type === undefined || bytes!.length !== 1 + keyTypes[type].bytes)
    throw new Failure(
      `${JSON.stringify(shown)} is not a verifier key (NAME+ID+BASE64) for Ed25519 or ML-DSA-44`,
    );
  const der = Buffer.concat([Buffer.from(keyTypes[type].der, 'hex'), bytes!.subarray(1)]);
  const key = verifierKey(name, type, createPublicKey({ key: der, format: 'der', type: 'spki' }));
  if (key.keyId !== keyId) throw new Failure(`${JSON.stringify(shown)}: the id is not that of the key`);
  return key;
}

function rawKey(type: SignatureType, publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' }).subarray(-keyTypes[type].bytes);
}

export function isBy(signature: NoteSignature, key: VerifierKey): boolean {
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

function verifies(text: string, bytes: Buffer, { name, type, publicKey }: VerifierKey): boolean {
  if (type === ED25519) return bytes.length === 64 && verify(null, Buffer.from(text), publicKey, bytes);
  if (bytes.length !== COSIGNATURE_BYTES[type]) return false;
  const seconds = cosignedAt(bytes);
  const message = type === COSIGNATURE ? cosignedMessage(text, seconds) : mlDsaMessage(text, seconds, name);
  return message !== null && verify(null, message, publicKey, bytes.subarray(8));
}

/** Eight bytes of time, then the signature. */
export const COSIGNATURE_BYTES = { [COSIGNATURE]: 72, [COSIGNATURE_ML_DSA_44]: 2428 } as const;

/** Seconds since the Unix epoch in a cosignature's first eight bytes. */
export function cosignedAt(bytes: Buffer): bigint {
  return bytes.readBigUInt64BE(0);
}

/** The message that a witness signs (c2sp.org/tlog-cosignature, Ed25519 signed message). */
export function cosignedMessage(text: string, seconds: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}

/** The same for ML-DSA-44 (c2sp.org/tlog-cosignature, ML-DSA-44 signed message); null if the text is no checkpoint. */
export function mlDsaMessage(text: string, seconds: bigint, witness: string): Buffer | null {
  const [origin = '', size = '', root = ''] = text.split('\n');
  const hash = decodeBase64(root);
  if (hash?.length !== 32 || !/^\d{1,16}$/.test(size)) return null;
  return Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    short(witness),
    number(seconds),
    short(origin),
    number(0n),
    number(BigInt(size)),
    hash,
  ]);
}

function number(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function short(value: string): Buffer {
  return Buffer.concat([Buffer.of(Buffer.byteLength(value)), Buffer.from(value)]);
}
