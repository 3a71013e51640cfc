import { copyFile, glob, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceBy } from '../../lib/files/replace-file.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { OBJECTS } from './layout.ts';
import { keysIn } from './ledger.ts';
import type { Delivery } from './delivery.ts';

/** A lake whose objects stay in a local folder once they were fetched. */
interface CachedLake extends ObjectStore {
  readonly cache: string;
}

/**
 * A lake in S3 that keeps its immutable objects in a folder, from one week to the next (`LAKE_CACHE`); any other lake as it is. Several programs may
 * share the folder. An object there that was damaged is fetched again: its name has digits of its hash.
 */
export function cachedLake(lake: ObjectStore, cache: string | undefined): ObjectStore {
  if (cache === undefined || !lake.url.startsWith('s3:')) return lake;
  const cached: CachedLake = {
    ...lake,
    cache,
    async localFile(key, scratch) {
      if (!OBJECTS.some((prefix) => key.startsWith(prefix))) return await lake.localFile(key, scratch);
      const path = join(cache, key);
      if (await isWhole(path)) return path;
      const fetched = await lake.localFile(key, scratch);
      if (fetched === null) return null;
      await keep(fetched, path);
      await rm(fetched);
      return path;
    },
  };
  return cached;
}

/** True for a file that has the hash of which its name has the first digits. */
async function isWhole(path: string): Promise<boolean> {
  const [, digits] = /([0-9a-f]{16})\.\w+$/.exec(path) ?? [];
  const hash = await sha256OfFile(path).catch(() => null);
  return digits !== undefined && hash !== null && hash.startsWith(digits);
}

/** In one step: other programs see the whole file or none. */
async function keep(fetched: string, path: string): Promise<void> {
  const copy = async (unfinished: string) => {
    await mkdir(dirname(path), { recursive: true });
    await copyFile(fetched, unfinished);
  };
  await replaceBy(path, copy, `${path} (LAKE_CACHE)`);
}

/** Deletes from the cache of a lake, if it has one, what the ledger no longer names: rows of removed workspaces are in it. */
export async function dropUnnamed(lake: ObjectStore, ledger: readonly Delivery[]): Promise<void> {
  if (!('cache' in lake)) return;
  const { cache } = lake as CachedLake;
  const named = keysIn(ledger);
  for (const prefix of OBJECTS)
    for await (const key of glob(`${prefix}**/*.*`, { cwd: cache }))
      if (!named.has(key)) await rm(join(cache, key), { force: true });
}
