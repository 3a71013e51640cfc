import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { generateKeyPair, readSigner, readTrust, trustOfSettings } from '../../snapshots/signing.ts';
import { temporaryFolder } from '../support/folder.ts';

const own = generateKeyPair();
const other = generateKeyPair();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

describe('a signature', () => {
  test('is valid with any of the keys in a file, and of several files', async () => {
    const both = await file('both.pem', `the old one:\n${own.publicPem}\nthe new one:\n${other.publicPem}`);
    expect([...(await readTrust([both])).keys()]).toEqual([own.fingerprint, other.fingerprint]);
    const files = [await file('own.pem', own.publicPem), await file('other.pem', other.publicPem)];
    expect((await readTrust(files)).size).toBe(2);
  });
});

describe('a key file', () => {
  test.each([
    ['is not there', null, /SIGNING_KEY_FILE: .*cannot be read/],
    [
      'contains something else',
      'hello',
      /^SIGNING_KEY_FILE: .*key\.pem is not an Ed25519 private key in PEM$/,
    ],
    [
      'contains the public key',
      own.publicPem,
      /^SIGNING_KEY_FILE: .*key\.pem is not an Ed25519 private key in PEM$/,
    ],
    [
      'holds a key of another kind',
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      /is not an Ed25519/,
    ],
  ])('to sign with that %s is refused by its name', async (_, text, message) => {
    const path = text === null ? join(folder, 'none.pem') : await file('key.pem', text);
    await expect(readSigner(path)).rejects.toThrow(message);
  });

  test.each([
    ['is not there', null, /PUBLIC_KEY_FILE: .*cannot be read/],
    ['contains no key', 'hello', /^PUBLIC_KEY_FILE: .*key\.pem has no public key in PEM$/],
    ['contains a private key', own.privatePem, /something other than public keys/],
    [
      'holds a key of another kind',
      rsa.publicKey.export({ type: 'spki', format: 'pem' }),
      /is not an Ed25519/,
    ],
  ])('to trust that %s is refused by its name', async (_, text, message) => {
    const path = text === null ? join(folder, 'none.pem') : await file('key.pem', text);
    await expect(readTrust([path])).rejects.toThrow(message);
  });

  test('can be a setting with a path or a text, also on one line, but not both', async () => {
    const path = await file('public.pem', own.publicPem);
    const pem = own.publicPem.replaceAll('\n', String.raw`\n`);
    expect(await trustOfSettings({})).toBeUndefined();
    for (const config of [{ PUBLIC_KEY_FILE: path }, { PUBLIC_KEY: own.publicPem }, { PUBLIC_KEY: pem }])
      expect([...(await trustOfSettings(config))!.keys()]).toEqual([own.fingerprint]);
    await expect(trustOfSettings({ PUBLIC_KEY: pem, PUBLIC_KEY_FILE: path })).rejects.toThrow(/both set/);
    await expect(trustOfSettings({ PUBLIC_KEY: own.privatePem })).rejects.toThrow(
      /^PUBLIC_KEY contains something other than public keys$/,
    );
  });

  test('is never shown in a complaint', async () => {
    const path = await file('key.pem', own.privatePem.replace('BEGIN', 'BEGUN'));
    const secret = own.privatePem.split('\n')[1]!;
    await expect(readSigner(path)).rejects.not.toThrow(secret);
  });
});
