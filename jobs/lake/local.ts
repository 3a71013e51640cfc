import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { mapConcurrently } from '../concurrency.ts';

/** Files of hundreds of megabytes: a few at once saturate the network. */
const FETCHED_AT_ONCE = 4;

/**
 * The paths of local files with the bytes of lake objects, for DuckDB, in order. Copies, if any, go below `scratch`.
 * @throws Failure that names an object which is missing, or does not have the `sha256` that is given: no number may be
 * published from bytes that were not delivered.
 */
export async function localPaths(
  lake: ObjectStore,
  objects: readonly { key: string; sha256?: string }[],
  scratch: string,
): Promise<string[]> {
  return await mapConcurrently(
    objects,
    async ({ key, sha256 }) => {
      const path = await lake.localFile(key, scratch);
      if (path === null)
        throw new Failure(
          `${lake.url}/${key} is missing: the ledger names it (if a customer was removed meanwhile, run this again; otherwise put it back from a copy of the lake)`,
        );
      if (sha256 !== undefined && (await sha256OfFile(path)) !== sha256) {
        throw new Failure(`${lake.url}/${key} does not have the bytes that were ingested (sha256 ${sha256})`);
      }
      return path;
    },
    { limit: FETCHED_AT_ONCE },
  );
}
