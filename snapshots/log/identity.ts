import { existsSync } from 'node:fs';
import type { Config, StoreLocation } from '../../lib/config.ts';
import { WrongSetting } from '../../lib/failure.ts';
import { readTrust, trustOfSettings } from '../signing.ts';
import type { Trust } from '../signing.ts';

/** The name of the log of a folder, unless LOG_ORIGIN is set. */
export const USUAL_ORIGIN = 'sightline.local/log';

/** The public key that the first publication into a folder makes: readers on the same machine trust it. */
export const USUAL_PUBLIC_KEY = '.data/keys/sightline.public.pem';

/** The name of a store's log. @throws WrongSetting for a bucket without LOG_ORIGIN */
export function originOf({ LOG_ORIGIN }: Pick<Config, 'LOG_ORIGIN'>, location: StoreLocation): string {
  if (LOG_ORIGIN !== undefined) return LOG_ORIGIN;
  if (location.kind === 'directory') return USUAL_ORIGIN;
  throw new WrongSetting(
    'LOG_ORIGIN is not set: a store in a bucket needs a name, such as api.example.com/log',
  );
}

/**
 * The keys that a reader trusts: those of the settings, or else the one that the first publication made here.
 * @returns undefined if there is none
 * @throws Failure if both settings are set, or one is not a public key.
 */
export async function configuredTrust(
  config: Pick<Config, 'PUBLIC_KEY' | 'PUBLIC_KEY_FILE'>,
): Promise<Trust | undefined> {
  const trust = await trustOfSettings(config);
  if (trust !== undefined || !existsSync(USUAL_PUBLIC_KEY)) return trust;
  return await readTrust([USUAL_PUBLIC_KEY], 'the usual public key');
}

/** What a reader must do that has no key. */
export const NO_PUBLIC_KEY = `there is no public key to check the log with: set PUBLIC_KEY_FILE (usual: ${USUAL_PUBLIC_KEY})`;
