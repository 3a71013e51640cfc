import { readConfig } from '../config.ts';
import type { StoreLocation } from '../config.ts';
import { directoryStore } from './directory.ts';
import { s3SettingsOf } from './s3-settings.ts';
import type { S3Settings } from './s3-settings.ts';
import { s3Store } from './s3.ts';
import type { ObjectStore } from './store.ts';

/**
 * Opens the store that a location names. Nothing is created before something is written.
 * @param settings how to reach S3, where the environment is not to say.
 */
export function openStore(location: StoreLocation, settings?: S3Settings): ObjectStore {
  return location.kind === 'directory'
    ? directoryStore(location.path)
    : s3Store(location, settings ?? s3SettingsOf(readConfig()));
}
