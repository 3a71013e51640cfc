import { readConfig, settingsGiven } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { isMarked, markLake, requireMark } from '../../lib/store/lake.ts';
import { openStore } from '../../lib/store/open.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { hasAnything } from '../../snapshots/read.ts';

/** Makes a lake at a place, or marks one that was restored without its mark. The operator says that the place is right. */
export async function makeLake(location: StoreLocation): Promise<ObjectStore> {
  const lake = openStore(location);
  await markLake(lake);
  return lake;
}

/**
 * Opens the lake for an ingest, which makes a lake of a place that is empty.
 * @throws Unreachable if it is not a lake and not empty, or if there was a lake before, because the store has a log
 */
export async function openLakeOrEmpty(location: StoreLocation): Promise<ObjectStore> {
  const lake = openStore(location);
  if (await isMarked(lake)) return lake;
  const isNew = !(await hasAnything(lake, '')) && !(await hadLake(lake));
  // Otherwise asks again: another ingest may have made it meanwhile.
  if (!isNew) await requireMark(lake);
  return lake;
}

/** True if the store has a log. Without a setting, only the default lake is known to belong to the default store. */
async function hadLake(lake: ObjectStore): Promise<boolean> {
  const isDefault = lake.url === openStore(readConfig({}).LAKE_URL).url;
  if (!isDefault && !settingsGiven().includes('STORE_URL')) return false;
  return (await openStore(readConfig().STORE_URL).get(CHECKPOINT_KEY)) !== null;
}
