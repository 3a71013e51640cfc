import { basename, dirname } from 'node:path';
import { parseStoreLocation } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import { openStore } from '../../lib/store/open.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { parseCheckpoint } from '../log/notes/checkpoint.ts';
import type { Checkpoint } from '../log/notes/checkpoint.ts';

/** The location of the checkpoint that a verifier keeps: a file, or an object in S3. */
export interface StateLocation {
  /** The name in messages. */
  name: string;
  store: ObjectStore;
  key: string;
}

/** @param text a path or `s3://bucket/key` @throws Failure if it is neither. */
export function openState(text: string): StateLocation {
  const location = parseStoreLocation(text);
  if (location === null || text.endsWith('/') || (location.kind === 's3' && location.prefix === ''))
    throw new Failure(`--state ${text} is neither a file nor s3://bucket/key`);
  if (location.kind === 's3')
    return { name: text, store: openStore(parseStoreLocation(dirname(text))!), key: basename(text) };
  const { kind, path: name } = location;
  const key = basename(name);
  if (key.startsWith('.'))
    throw new Failure(`--state ${text}: the name of the file must not begin with a dot`);
  return { name, store: openStore({ kind, path: dirname(name) }), key };
}

/** The kept checkpoint; null if there is none yet. @throws Failure if it is not one. */
export async function readState({
  store,
  key,
  name,
}: StateLocation): Promise<{ head: Checkpoint; version: string } | null> {
  const object = await store.get(key);
  return object && { head: parseCheckpoint(object.bytes, name), version: object.version };
}

/**
 * Replaces the kept checkpoint by one that was verified against it.
 * @param before the version that it was compared with; null: there was none
 * @throws Failure if another run replaced it meanwhile.
 */
export async function writeState(
  { store, key, name }: StateLocation,
  checkpoint: string,
  before: string | null,
): Promise<void> {
  if (!(await store.swap(key, Buffer.from(checkpoint), before)))
    throw new Failure(`${name} was replaced by another verification meanwhile; run verify again`);
}
