import { readFile, writeFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { uuidArgument } from '../../lib/cli.ts';
import { parseStoreLocation, readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure, WrongSetting, reasonOf } from '../../lib/failure.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import { readLog } from '../log/follow.ts';
import { configuredTrust } from '../log/identity.ts';
import { parseCheckpoint } from '../log/notes/checkpoint.ts';
import { readTrust } from '../signing.ts';
import type { Trust } from '../signing.ts';
import { openStore } from '../../lib/store/open.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { KeptHead } from '../verify/report.ts';
import { openState, remember, usualState } from '../verify/state.ts';
import type { StateLocation } from '../verify/state.ts';
import type { LoggedStore } from '../reading/select.ts';

/** The options of every command that reads a log. */
export interface AuditOptions {
  store: StoreLocation;
  workspace?: string;
  publicKey?: string[];
  /** Absent: the usual file of this store. */
  state?: string;
  json?: true;
}

/**
 * Adds `--store`, `--workspace`, `--public-key`, `--state` and `--json`.
 * @param whichWorkspaces what the command reads without `--workspace`
 */
export function withAuditOptions(
  command: Command,
  whichWorkspaces = 'optional if there is only one',
): Command {
  return command
    .addOption(storeOption())
    .addOption(workspaceOption(whichWorkspaces))
    .addOption(publicKeyOption())
    .option(
      '--state <file, s3://… or none>',
      'keeps the newest checkpoint that was seen: the log must continue it (default: a file for each store in XDG_STATE_HOME)',
    )
    .option('--json', 'print the result as JSON');
}

export function workspaceOption(whichWorkspaces: string): Option {
  return new Option('--workspace <id>', `only this workspace (${whichWorkspaces})`).argParser(uuidArgument);
}

/** `--as-of DATE`, for commands that take a snapshot. */
export function asOfOption(): Option {
  return new Option(
    '--as-of <date>',
    'the snapshot computed as of this day, or else the last one before it',
  ).argParser((text) => {
    if (!isDate(text)) throw new InvalidArgumentError('expected a date such as 2026-11-16.');
    return text;
  });
}

/** The reference in the argument or in `--as-of`. */
export function referenceOf<T extends string | undefined>(argument: T, asOf: string | undefined) {
  return asOf === undefined ? argument : { asOf };
}

export function storeOption(): Option {
  return new Option('--store <location>', 'the snapshots, or a copy of them: a folder or s3://bucket/prefix')
    .argParser(readLocation)
    .default(readConfig().STORE_URL, 'STORE_URL or .data/store');
}

export function lakeOption(): Option {
  return new Option(
    '--lake <location>',
    'the lake that the snapshots were made from: a folder or s3://bucket/prefix',
  )
    .argParser(readLocation)
    .default(readConfig().LAKE_URL, 'LAKE_URL or .data/lake');
}

/** For commands that append to the log. */
export function acceptClockOption(): Option {
  return new Option(
    '--accept-clock',
    'the clock is right, although it is far from the newest entry of the log',
  );
}

export function publicKeyOption(): Option {
  return new Option(
    '--public-key <file>',
    'the public keys to trust; may be repeated (default: PUBLIC_KEY_FILE)',
  ).argParser((path: string, before: string[] | undefined) => [...(before ?? []), path]);
}

/** The trusted keys of `--public-key` or of the settings. @throws WrongSetting if there are none. */
export async function trustOf({ publicKey }: Pick<AuditOptions, 'publicKey'>): Promise<Trust> {
  if (publicKey !== undefined) return await readTrust(publicKey, '--public-key');
  const trust = await configuredTrust(readConfig());
  if (trust !== undefined) return trust;
  throw new WrongSetting('no public key to verify the log with: give --public-key or set PUBLIC_KEY_FILE');
}

/** Runs a command's work with its store, and closes the store. */
export async function onStore<T>(
  { store: location }: Pick<AuditOptions, 'store'>,
  work: (store: ObjectStore) => Promise<T>,
): Promise<T> {
  const store = openStore(location);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

/** As {@link onStore}, with the log verified. @throws Failure if the store has none. */
export async function onLog<T>(
  options: Pick<AuditOptions, 'store' | 'publicKey' | 'state'>,
  work: (logged: LoggedStore) => Promise<T>,
): Promise<T> {
  const trust = await trustOf(options);
  return await onStore(options, async (store) => {
    await store.check();
    const log = await readLog(store, { origin: readConfig().LOG_ORIGIN ?? null, trust });
    if (log === null) throw new Failure(`${store.url} has no log: nothing was published`);
    await withState(options, async (memory) => {
      if (memory !== null) await remember(memory, store, log.checkpoint);
    });
    return await work({ store, log });
  });
}

/** Runs work with the state of `--state`, or with the usual one of the store; null: none. */
export async function withState<T>(
  { store, state }: Pick<AuditOptions, 'store' | 'state'>,
  work: (memory: StateLocation | null) => Promise<T>,
): Promise<T> {
  if (state === 'none') return await work(null);
  const memory = state === undefined ? usualState(store) : openState(state);
  try {
    return await work(memory);
  } finally {
    memory.store.close();
  }
}

/** A file that an option names. @throws Failure if it cannot be read. */
export async function readGiven(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Writes a file that an option names. @throws Failure if it cannot be written. */
export async function writeGiven(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/** Checkpoints that were kept in files. @throws Failure if one is not a checkpoint. */
export async function readCheckpoints(files: readonly string[]): Promise<KeptHead[]> {
  return await Promise.all(
    files.map(async (name) => ({ head: parseCheckpoint(await readGiven(name), name), name })),
  );
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** @throws InvalidArgumentError */
export function readLocation(text: string): StoreLocation {
  const location = parseStoreLocation(text);
  if (location === null) throw new InvalidArgumentError('expected a path, file:PATH or s3://bucket/prefix.');
  return location;
}
