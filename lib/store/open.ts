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
  return opening[location.kind](location as never, settings);
}

type Open<Location> = (location: Location, settings: S3Settings | undefined) => ObjectStore;

const opening = {
  directory: ({ path }) => directoryStore(path),
  s3: (location, settings = readConfig()) => s3Store(location, settings),
} satisfies { [Kind in StoreLocation['kind']]: Open<Extract<StoreLocation, { kind: Kind }>> };
