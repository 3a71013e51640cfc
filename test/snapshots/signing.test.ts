import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { generateKeyPair, readSigner, readTrust, trustOfSettings } from '../../snapshots/signing.ts';
import { temporaryFolder } from '../support/folder.ts';

const own = generateKeyPair();
const other = generateKeyPair();
const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

let path: string;
beforeEach(async () => {
  path = join(await temporaryFolder(), 'key.pem');
});

test('all keys in the files that are trusted count', async () => {
  await writeFile(path, `the old one:\n${own.publicPem}\nthe new one:\n${other.publicPem}`);
  expect([...(await readTrust([path, path])).keys()]).toEqual([own.fingerprint, other.fingerprint]);
});

describe('a key file that', () => {
  test.each<[string, string | null, RegExp, RegExp]>([
    ['is not there', null, /SIGNING_KEY_FILE: .*cannot be read/, /PUBLIC_KEY_FILE: .*cannot be read/],
    [
      'contains something else',
      'hello',
      /^SIGNING_KEY_FILE: .*key\.pem is not an Ed25519 private key in PEM$/,
      /^PUBLIC_KEY_FILE: .*key\.pem has no public key in PEM$/,
    ],
    ['contains a public key of another kind', rsa.publicKey, /is not an Ed25519/, /is not an Ed25519/],
  ])('%s is refused by its name, to sign and to trust', async (_, text, toSign, toTrust) => {
    if (text !== null) await writeFile(path, text);
    await expect(readSigner(path)).rejects.toThrow(toSign);
    await expect(readTrust([path])).rejects.toThrow(toTrust);
  });

  test('has the other half is refused, and no key is ever shown', async () => {
    await writeFile(path, own.publicPem);
    await expect(readSigner(path)).rejects.toThrow(/is not an Ed25519 private key/);
    await writeFile(path, own.privatePem);
    const refused: unknown = await readTrust([path]).catch((error: unknown) => error);
    expect(String(refused)).toMatch(/something other than public keys$/);
    expect(String(refused)).not.toContain(own.privatePem.split('\n')[1]!);
  });
});

test('a public key is a setting with a path or a text, also on one line, but not both', async () => {
  await writeFile(path, own.publicPem);
  const pem = own.publicPem.replaceAll('\n', String.raw`\n`);
  expect(await trustOfSettings({})).toBeUndefined();
  for (const config of [{ PUBLIC_KEY_FILE: path }, { PUBLIC_KEY: own.publicPem }, { PUBLIC_KEY: pem }])
    expect([...(await trustOfSettings(config))!.keys()]).toEqual([own.fingerprint]);
  await expect(trustOfSettings({ PUBLIC_KEY: pem, PUBLIC_KEY_FILE: path })).rejects.toThrow(/both set/);
});
