import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKeyPair, readSigner, readTrust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

export const workspaceIds = [
  '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01',
  'f3a1f0a4-3a6e-4f0f-9c57-0c8f7a5a1c02',
] as const;
export const brandIds = [
  '11111111-3a6e-4f0f-9c57-0c8f7a5a1c01',
  '22222222-3a6e-4f0f-9c57-0c8f7a5a1c02',
] as const;

/** The Mondays of a history, oldest first. */
export const weeks = ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'] as const;

export type Keys = Awaited<ReturnType<typeof makeTestKeys>>;

export async function makeTestKeys(folder: string, name: string) {
  const { privatePem, publicPem, fingerprint } = generateKeyPair();
  const privateKey = join(folder, `${name}.private.pem`);
  const publicKey = join(folder, `${name}.public.pem`);
  await writeFile(privateKey, privatePem);
  await writeFile(publicKey, publicPem);
  return {
    privateKey,
    publicKey,
    fingerprint,
    signer: await readSigner(privateKey),
    trust: await readTrust([publicKey]),
  };
}

export async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}
