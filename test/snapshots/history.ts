import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKeyPair, readSigner, readTrust } from '../../snapshots/signing.ts';
import type { Signer, Trust } from '../../snapshots/signing.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { documentKinds, documentPath } from '../../snapshots/layout.ts';
import { publishSnapshot } from '../../snapshots/publish/publish.ts';
import { publicationOfDocuments } from './documents.ts';

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

export interface Keys {
  privateKey: string;
  publicKey: string;
  fingerprint: string;
  signer: Signer;
  trust: Trust;
}

export async function makeTestKeys(folder: string, name: string): Promise<Keys> {
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

/**
 * Publishes one week of a workspace, at 7 in the morning onto a head of any key, with documents of which each is unlike
 * every other; returns the id.
 */
export async function publishWeek(
  store: ObjectStore,
  workspaceId: string,
  week: string,
  signer?: Signer,
): Promise<string> {
  const clock = { now: () => Date.parse(`${week}T07:00:00Z`) };
  const bytesOf = (name: string) => Buffer.from(`{"data":"${workspaceId} ${week} ${name}"}\n`);
  const paths = [
    'brands.json',
    ...brandIds.flatMap((id) => documentKinds.map((kind) => documentPath(id, kind))),
  ];
  const documents = paths.map((path) => ({ path, bytes: bytesOf(path) }));
  const publication = publicationOfDocuments(workspaceId, `${week}T06:00:00.000Z`, documents);
  return (await publishSnapshot(store, publication, { signer, trust: null, clock })).snapshotId;
}

/** Two workspaces with four weeks each, signed if a signer is given. */
export async function publishHistory(folder: string, signer?: Signer): Promise<ObjectStore> {
  const store = directoryStore(folder);
  for (const workspaceId of workspaceIds) {
    for (const week of weeks) await publishWeek(store, workspaceId, week, signer);
  }
  return store;
}

export interface SignedHistory {
  /** The folder of the store and of the keys. */
  root: string;
  folder: string;
  store: ObjectStore;
  own: Keys;
  /** Of the snapshots of the first workspace, oldest first. */
  ids: string[];
}

/** Publishes two workspaces with four weeks each in `root/store`, signed with keys of their own. */
export async function publishSignedHistory(root: string): Promise<SignedHistory> {
  const folder = join(root, 'store');
  const own = await makeTestKeys(root, 'own');
  const store = await publishHistory(folder, own.signer);
  return { root, folder, store, own, ids: await snapshotIdsOf(folder, workspaceIds[0]) };
}

/** A copy of a store, as `cp -r` makes it. */
export async function copyStore(from: string, to: string): Promise<ObjectStore> {
  await cp(from, to, { recursive: true });
  return directoryStore(to);
}

export async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

/** The ids of a workspace's snapshots, oldest first: their names begin with the as-of time. */
export async function snapshotIdsOf(folder: string, workspaceId: string): Promise<string[]> {
  return (await readdir(join(folder, 'workspaces', workspaceId, 'snapshots'))).toSorted();
}
