import { existsSync } from 'node:fs';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { systemClock } from '../../../lib/clock.ts';
import { readConfig } from '../../../lib/config.ts';
import type { Config, StoreLocation } from '../../../lib/config.ts';
import { Failure, WrongSetting } from '../../../lib/failure.ts';
import { openLake } from '../../../lib/store/lake.ts';
import { openStore } from '../../../lib/store/open.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../../layout.ts';
import { configuredSigner, generateKeyPair, readSigner } from '../../signing.ts';
import type { Signer } from '../../signing.ts';
import { USUAL_PUBLIC_KEY, originOf } from '../identity.ts';
import type { CommitParts } from './commit.ts';
import { readCommitted } from './committed.ts';

/** The private key that the first publication into a folder makes. */
export const USUAL_PRIVATE_KEY = USUAL_PUBLIC_KEY.replace('.public.', '.private.');

/**
 * The signer of the settings; for a folder without settings, the key in `.data/keys`.
 * @param beforeMaking for a publication, which makes that key if it is not there: fails if a log was signed before
 * @throws WrongSetting without a key, Failure if it cannot be read.
 */
async function signerFor(
  config: Pick<Config, 'SIGNING_KEY' | 'SIGNING_KEY_FILE'>,
  location: StoreLocation,
  beforeMaking: (() => Promise<void>) | null,
): Promise<Signer> {
  const configured = await configuredSigner(config);
  if (configured !== undefined) return configured;
  if (location.kind === 's3')
    throw new WrongSetting(
      'SIGNING_KEY_FILE is not set: what is published to a bucket must be signed ("npm run audit -- keygen" makes a key)',
    );
  if (!existsSync(USUAL_PRIVATE_KEY)) {
    if (beforeMaking === null)
      throw new WrongSetting(
        `SIGNING_KEY_FILE is not set, and there is no ${USUAL_PRIVATE_KEY}, which the first publication makes`,
      );
    await beforeMaking();
    if (await makeOnce(USUAL_PRIVATE_KEY, generateKeyPair().privatePem))
      process.stderr.write(
        `sightline: made the signing key ${USUAL_PRIVATE_KEY}; keep a copy of it, and give readers ${USUAL_PUBLIC_KEY}\n`,
      );
  }
  const signer = await readSigner(USUAL_PRIVATE_KEY, 'the usual signing key');
  await makeOnce(USUAL_PUBLIC_KEY, signer.publicKey.export({ type: 'spki', format: 'pem' }), 0o644);
  return signer;
}

/** Writes a file whole, unless it exists: of two first publications, both use the key of one. */
async function makeOnce(path: string, text: string, mode = 0o600): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(unfinished, text, { mode, flush: true });
    await link(unfinished, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** A new key must not hide that the key of a log is gone. @throws Failure if there is a log */
async function refuseLostKey(store: ObjectStore, lake: ObjectStore, origin: string): Promise<void> {
  const committed = await readCommitted(lake, origin);
  if (committed === null && (await store.get(CHECKPOINT_KEY)) === null) return;
  throw new Failure(
    `${USUAL_PRIVATE_KEY} is missing, and the log ${origin} was signed before: put the key back, or set SIGNING_KEY_FILE; if it is lost, "audit rotate --to NEW_KEY --old-key-is-lost" lets a new one sign`,
  );
}

export interface WriteSettings {
  /** For a publication into a folder: makes the usual key if no log was signed before. */
  mayMakeKey?: boolean;
  /** In place of the key of the settings. */
  signer?: Signer | undefined;
  acceptClock?: boolean | undefined;
}

/** Runs work that appends to the log of a store, by the settings; closes store and lake. @throws Unreachable without a lake */
export async function withCommitParts<T>(
  locations: { store: StoreLocation; lake: StoreLocation },
  work: (parts: CommitParts) => Promise<T>,
  { mayMakeKey = false, signer: given, acceptClock }: WriteSettings = {},
): Promise<T> {
  const config = readConfig();
  const origin = originOf(config, locations.store);
  const lake = await openLake(locations.lake);
  const store = openStore(locations.store);
  try {
    const beforeMaking = async () => await refuseLostKey(store, lake, origin);
    const signer = given ?? (await signerFor(config, locations.store, mayMakeKey ? beforeMaking : null));
    return await work({ store, lake, origin, signer, clock: systemClock, acceptClock });
  } finally {
    store.close();
    lake.close();
  }
}
