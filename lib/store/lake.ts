import type { StoreLocation } from '../config.ts';
import { Unreachable } from '../failure.ts';
import { openStore } from './open.ts';
import type { ObjectStore } from './store.ts';

/**
 * Marks a lake. The empty folder in which a disk should be mounted does not have it, nor a mistyped prefix of a bucket:
 * what is delivered there would vanish when the disk is back.
 */
const MARK = 'lake.txt';
const TEXT =
  'A lake of Sightline. Commands refuse a lake without this file, because its disk may not be mounted.\n';

/** Opens a lake for a command. @throws Unreachable if nothing there is marked as a lake. */
export async function openLake(location: StoreLocation): Promise<ObjectStore> {
  const lake = openStore(location);
  await requireMark(lake);
  return lake;
}

/** @throws Unreachable if it is not marked as a lake. */
export async function requireMark(lake: ObjectStore): Promise<void> {
  if (await isMarked(lake)) return;
  throw new Unreachable(
    `there is no lake at ${lake.url} (no ${MARK}): is its disk mounted? "job ingest --new-lake" makes a new one`,
  );
}

export async function isMarked(lake: ObjectStore): Promise<boolean> {
  return (await lake.get(MARK)) !== null;
}

/** Makes a lake of an empty place; a lake stays as it is. */
export async function markLake(lake: ObjectStore): Promise<void> {
  await lake.create(MARK, Buffer.from(TEXT));
}
