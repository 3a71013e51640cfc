import { readConfig } from '../config.ts';
import type { S3Settings, StoreLocation } from '../config.ts';
import { directoryStore } from './directory/directory.ts';
import { s3Store } from './s3/s3.ts';
import type { ObjectStore } from './store.ts';

/**
 * Opens the store that a location names. Nothing is created before something is written.
 * @param settings how to reach S3; if absent, those of the environment
 */
export function openStore(location: StoreLocation, settings?: S3Settings): ObjectStore {
  switch (location.kind) {
    case 'directory':
      return directoryStore(location.path);
    case 's3':
      return s3Store(location, settings ?? readConfig());
  }
}
