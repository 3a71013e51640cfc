import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseStoreLocation, readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure, handleDamage, handleFailure, orNull } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { openStore } from '../../lib/store/open.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { parseCheckpoint } from '../log/notes/checkpoint.ts';
import type { Checkpoint, TreeHead } from '../log/notes/checkpoint.ts';
import { mustContinue } from '../log/follow.ts';
import { formatNote } from '../log/notes/note.ts';
import { tileReader } from '../log/read.ts';
import { CHECKPOINT_KEY } from '../layout.ts';

/** The location of the checkpoint that a verifier keeps: a file, or an object in S3. */
export interface StateLocation {
  /** The name in messages. */
  name: string;
  store: ObjectStore;
  key: string;
  /** Nobody named it. */
  isUsual?: boolean;
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

/**
 * The file that remembers the log at the address of a store, as `known_hosts` remembers the key of a machine: its real path,
 * or its URL.
 */
export function usualState(location: StoreLocation): StateLocation {
  const address = location.kind === 's3' ? location.url : realPathOf(location.path);
  const folder = join(readConfig().XDG_STATE_HOME ?? join(homedir(), '.local/state'), 'sightline/logs');
  return {
    ...openState(join(folder, `${sha256(address).slice(0, 32)}.checkpoint`)),
    isUsual: true,
  };
}

/** The path itself if nothing is there: the command will say so. */
function realPathOf(path: string): string {
  return orNull(() => realpathSync(path)) ?? resolve(path);
}

/**
 * Compares a checkpoint that was read with the kept one, and keeps it if it is newer.
 * @throws Failure if it does not continue the kept one; then both are kept.
 */
export async function remember(memory: StateLocation, store: ObjectStore, found: Checkpoint): Promise<void> {
  const before = await readState(memory);
  if (before !== null) await continueFrom(memory, before.head, store, found);
  if (before !== null && before.head.size >= found.size) return;
  await writeState(memory, formatNote(found.note), before?.version ?? null);
}

async function continueFrom(
  memory: StateLocation,
  head: Checkpoint,
  store: ObjectStore,
  found: Checkpoint,
): Promise<void> {
  const compare = async () => {
    refuseAnotherLog(memory, head, found);
    await mustContinue(head, found, tileReader(store), `${store.url}/${CHECKPOINT_KEY}`);
  };
  await handleDamage(compare, async (failure) => {
    await keepRefused(memory, found);
    throw failure;
  });
}

/** @throws Failure that says how to forget the kept one */
export function refuseAnotherLog({ name }: StateLocation, kept: TreeHead, found: TreeHead): void {
  if (kept.origin === found.origin) return;
  throw new Failure(
    `this is another log than the one remembered: ${found.origin}, not ${kept.origin}; if that is intended, forget it: rm ${name}`,
  );
}

/** Keeps a checkpoint that was refused next to the one that it contradicts: the two are the proof. */
export async function keepRefused({ store, key, name }: StateLocation, { note }: Checkpoint): Promise<void> {
  const bytes = Buffer.from(formatNote(note));
  const refused = `${key}.refused-${sha256(bytes).slice(0, 8)}`;
  const outcome = await handleFailure(
    async () => {
      await store.create(refused, bytes);
      return `both checkpoints are kept: ${name}, and next to it ${refused}; only if you deleted this store yourself and began a new one, forget the old one: rm ${name}`;
    },
    ({ message }) => `${refused} could not be kept: ${message}`,
  );
  process.stderr.write(`sightline: ${outcome}\n`);
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
 * @throws Failure if another run replaced it meanwhile, or it cannot be written; not about a usual state.
 */
export async function writeState(
  { store, key, name, isUsual = false }: StateLocation,
  checkpoint: string,
  before: string | null,
): Promise<void> {
  const write = async () => {
    if (!(await store.swap(key, Buffer.from(checkpoint), before)))
      throw new Failure(`${name} was replaced by another verification meanwhile; run verify again`);
  };
  await handleFailure(write, (failure) => {
    // A command that only reads must work without a home; and of two at once, one is enough.
    if (!isUsual) throw failure;
  });
}
