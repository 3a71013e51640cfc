import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '../lib/config.ts';
import { Failure, reasonOf } from '../lib/failure.ts';
import { sha256 } from '../lib/hash.ts';

/** Signs with a private key, which it does not expose. Ed25519: the same key and bytes give the same signature. */
export interface Signer {
  /** The fingerprint of its public key: SHA-256 of the DER form, hexadecimal. */
  fingerprint: string;
  sign(bytes: Uint8Array): Buffer;
  publicKey: KeyObject;
  /** A trust that contains its own public key only. */
  trust: Trust;
}

/** The trusted public keys, by fingerprint; more than one if the signing key was changed. */
export type Trust = ReadonlyMap<string, KeyObject>;

/** SHA-256 of the key's DER form: `openssl pkey -pubin -in FILE -outform DER | sha256sum`. */
function fingerprintOf(publicKey: KeyObject): string {
  return sha256(publicKey.export({ type: 'spki', format: 'der' }));
}

export interface KeyPair {
  /** PKCS #8, PEM, not encrypted. */
  privatePem: string;
  /** SPKI, PEM. */
  publicPem: string;
  fingerprint: string;
}

export function generateKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }),
    fingerprint: fingerprintOf(publicKey),
  };
}

/**
 * The signer of the settings; undefined if neither is set.
 * @throws Failure if both are set, or the key cannot be read; never shows the key.
 */
export async function configuredSigner({
  SIGNING_KEY: pem,
  SIGNING_KEY_FILE: path,
}: Pick<Config, 'SIGNING_KEY' | 'SIGNING_KEY_FILE'>): Promise<Signer | undefined> {
  refuseBoth('SIGNING_KEY', pem, path);
  if (path !== undefined) return await readSigner(path);
  return pem === undefined ? undefined : signerOf(unfolded(pem), 'SIGNING_KEY');
}

/**
 * The public keys of the settings; undefined if neither is set. Readers use configuredTrust (log/identity.ts).
 * @throws Failure if both are set, or one is not a public key.
 */
export async function trustOfSettings({
  PUBLIC_KEY: pem,
  PUBLIC_KEY_FILE: path,
}: Pick<Config, 'PUBLIC_KEY' | 'PUBLIC_KEY_FILE'>): Promise<Trust | undefined> {
  refuseBoth('PUBLIC_KEY', pem, path);
  if (path !== undefined) return await readTrust([path]);
  return pem === undefined ? undefined : new Map(publicKeysOf(unfolded(pem), 'PUBLIC_KEY'));
}

function refuseBoth(setting: string, pem: string | undefined, path: string | undefined): void {
  if (pem !== undefined && path !== undefined)
    throw new Failure(`${setting} and ${setting}_FILE are both set; set one of them`);
}

/** Some secret stores return a key on one line, with its line breaks written as \n. */
function unfolded(pem: string): string {
  return pem.replaceAll('\\n', '\n');
}

/**
 * @param setting the option or setting that named the file, for messages
 * @throws Failure that names the file if it is not an Ed25519 private key in PEM; never shows its content.
 */
export async function readSigner(path: string, setting = 'SIGNING_KEY_FILE'): Promise<Signer> {
  return signerOf(await readPem(path, setting), `${setting}: ${path}`);
}

function signerOf(pem: string, name: string): Signer {
  const key = parseKey(() => createPrivateKey(pem), name, 'an Ed25519 private key in PEM');
  const publicKey = createPublicKey(key);
  const fingerprint = fingerprintOf(publicKey);
  const trust = new Map([[fingerprint, publicKey]]);
  return { fingerprint, publicKey, sign: (bytes) => sign(null, bytes, key), trust };
}

/**
 * @param setting the option or setting that named the files, for messages
 * @throws Failure that names the file if it is not one or more Ed25519 public keys in PEM.
 */
export async function readTrust(paths: readonly string[], setting = 'PUBLIC_KEY_FILE'): Promise<Trust> {
  const trust = new Map<string, KeyObject>();
  for (const path of paths)
    for (const [fingerprint, key] of publicKeysOf(await readPem(path, setting), `${setting}: ${path}`))
      trust.set(fingerprint, key);
  return trust;
}

/** @param name of the file or setting, for messages */
function publicKeysOf(text: string, name: string): [fingerprint: string, KeyObject][] {
  const blocks = text.match(/-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length === 0) throw new Failure(`${name} has no public key in PEM`);
  return blocks.map((block) => {
    // createPublicKey also accepts a private key, which must not be in a file for auditors.
    if (!block.startsWith('-----BEGIN PUBLIC KEY-----'))
      throw new Failure(`${name} contains something other than public keys`);
    const key = parseKey(() => createPublicKey(block), name, 'an Ed25519 public key in PEM');
    return [fingerprintOf(key), key];
  });
}

async function readPem(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Failure(`${setting}: ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function parseKey(parse: () => KeyObject, path: string, expected: string): KeyObject {
  let key: KeyObject;
  try {
    key = parse();
  } catch {
    throw new Failure(`${path} is not ${expected}`);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Failure(`${path} is not ${expected}`);
  return key;
}
