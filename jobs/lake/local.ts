import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { mapConcurrently } from '../concurrency.ts';

/** Files of hundreds of megabytes: a few at once fill a network, more only wait for each other. */
const FETCHED_AT_ONCE = 4;

/**
 * Local files with the bytes of lake objects, in order: DuckDB reads files. Copies, if any, go below `scratch`.
 * @throws Failure that names an object which is missing, or has other bytes than its `sha256`, where that is given:
 * a number must not be published from something that nobody delivered.
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
      if (path === null) throw new Failure(`${lake.url}/${key} is missing: the ledger names it`);
      if (sha256 !== undefined && (await sha256OfFile(path)) !== sha256) {
        throw new Failure(`${lake.url}/${key} does not have the bytes that were ingested (sha256 ${sha256})`);
      }
      return path;
    },
    { limit: FETCHED_AT_ONCE },
  );
}
