import { Failure, isUnreachable } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

/** No object of a store but a document is larger. */
const MOST_BYTES = 64 << 20;
const UNREADABLE = Buffer.alloc(0);

/**
 * The bytes of an object; null if there is none. One that is too large, or that is no object but a folder, is as good as
 * empty: one such object must not keep everything else from being verified.
 * @throws Failure if the store is away.
 */
export async function bytesOf(
  store: ObjectStore,
  key: string,
  mostBytes = MOST_BYTES,
): Promise<Buffer | null> {
  return await unlessUnreadable(async () => (await store.get(key, mostBytes))?.bytes ?? null, UNREADABLE);
}

/** Size and SHA-256 of an object; as {@link bytesOf}. @param mostBytes a larger one was altered */
export async function hashOf(
  store: ObjectStore,
  key: string,
  mostBytes: number,
): Promise<{ bytes: number; sha256: string } | null> {
  if (store.hash !== undefined) {
    const unreadable = { bytes: 0, sha256: sha256(UNREADABLE) };
    return await unlessUnreadable(() => store.hash?.(key) ?? null, unreadable);
  }
  const bytes = await bytesOf(store, key, mostBytes);
  return bytes && { bytes: bytes.length, sha256: sha256(bytes) };
}

async function unlessUnreadable<T>(read: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Failure) || isUnreachable(error)) throw error;
    return otherwise;
  }
}
