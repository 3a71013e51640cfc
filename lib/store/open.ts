import type { StoreLocation } from '../config.ts';
import { directoryStore } from './directory.ts';
import type { ObjectStore } from './store.ts';

/** Opens the store that a location names. Nothing is created before something is written. */
export function openStore(location: StoreLocation): ObjectStore {
  if (location.kind === 'directory') return directoryStore(location.path);
  throw new Error('S3 stores are opened by lib/store/s3.ts');
}
