import { handleDamage } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { MOST_BYTES } from '../read.ts';
import type { About, Reporter } from './findings.ts';

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
  return await handleDamage(
    async () => (await store.get(key, mostBytes))?.bytes ?? null,
    () => UNREADABLE,
  );
}

/** Size and SHA-256 of an object; as {@link bytesOf}. @param mostBytes a larger one was altered */
export async function hashOf(
  store: ObjectStore,
  key: string,
  mostBytes: number,
): Promise<{ bytes: number; sha256: string } | null> {
  if (store.hash !== undefined) {
    const unreadable = { bytes: 0, sha256: sha256(UNREADABLE) };
    return await handleDamage(
      () => store.hash!(key, mostBytes),
      () => unreadable,
    );
  }
  const bytes = await bytesOf(store, key, mostBytes);
  return bytes && { bytes: bytes.length, sha256: sha256(bytes) };
}

/** An object that the log, or a manifest, names by its hash. */
export interface Named {
  key: string;
  hash: string;
  /** What it is, for messages. */
  what: 'manifest' | 'history' | 'index of heads' | 'list of inputs';
  /** A newer one has replaced it: it may be missing, but not altered. */
  isReplaced?: boolean;
}

/** The bytes of a named object; null if it is missing or altered, which is reported about each of these. */
export async function checkNamed(
  store: ObjectStore,
  { key, hash, what, isReplaced = false }: Named,
  report: Reporter,
  abouts: Iterable<About | undefined> = [undefined],
): Promise<Buffer | null> {
  const bytes = await bytesOf(store, key);
  if (bytes !== null && sha256(bytes) === hash) return bytes;
  for (const about of abouts) {
    if (bytes !== null)
      report.problem('named_altered', [key], `this ${what} is not the one that is named`, {
        ...about,
        sha256: hash,
      });
    else if (!isReplaced)
      report.problem('named_missing', [key], `this ${what} is missing`, { ...about, sha256: hash });
  }
  return null;
}

/** Heads, or the histories of a workspace, that entries of the log name. */
interface Versions {
  what: Named['what'];
  hashes: Iterable<string>;
  newest: string;
  keyOf: (hash: string) => string;
  /** The keys that the store lists. */
  there: ReadonlySet<string>;
}

/** The newest must be there; older ones may be, and then have their own bytes. @returns the keys of all */
export async function checkVersions(
  store: ObjectStore,
  { what, hashes, newest, keyOf, there }: Versions,
  report: Reporter,
  abouts?: Iterable<About>,
): Promise<Set<string>> {
  const named = new Map([...hashes].map((hash) => [keyOf(hash), hash]));
  await manyAtOnce(named, async ([key, hash]) => {
    const isReplaced = hash !== newest;
    if (isReplaced && !there.has(key)) return;
    await checkNamed(store, { key, hash, what, isReplaced }, report, abouts);
  });
  return new Set(named.keys());
}
