import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
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

const refusal = async (reading: Promise<unknown>) =>
  await reading.then(
    () => '',
    (error: Error) => error.message,
  );

test.each<[string, string | null, RegExp, RegExp]>([
  ['nothing', null, /SIGNING_KEY_FILE: .*cannot be read/, /PUBLIC_KEY_FILE: .*cannot be read/],
  [
    'something else',
    'hello',
    /^SIGNING_KEY_FILE: .*key\.pem is not an Ed25519 private key in PEM$/,
    /^PUBLIC_KEY_FILE: .*key\.pem has no public key in PEM$/,
  ],
  ['a public key of another kind', rsa.publicKey, /is not an Ed25519/, /is not an Ed25519/],
  ['a private key', own.privatePem, /^$/, /something other than public keys$/],
])(
  'a key file with %s is refused by its name where it is of no use, and never shown',
  async (_, text, toSign, toTrust) => {
    if (text !== null) await writeFile(path, text);
    expect(await refusal(readSigner(path))).toMatch(toSign);
    expect(await refusal(readTrust([path]))).toMatch(toTrust);
    expect(await refusal(readTrust([path]))).not.toContain(own.privatePem.split('\n')[1]!);
  },
);

test('public keys are a setting with a path or a text, also on one line, but not both', async () => {
  const pem = `the old one:\n${own.publicPem}\nthe new one:\n${other.publicPem}`;
  await writeFile(path, pem);
  const folded = pem.replaceAll('\n', String.raw`\n`);
  expect(await trustOfSettings({})).toBeUndefined();
  for (const config of [{ PUBLIC_KEY_FILE: path }, { PUBLIC_KEY: pem }, { PUBLIC_KEY: folded }])
    expect([...(await trustOfSettings(config))!.keys()]).toEqual([own.fingerprint, other.fingerprint]);
  await expect(trustOfSettings({ PUBLIC_KEY: pem, PUBLIC_KEY_FILE: path })).rejects.toThrow(/both set/);
});
