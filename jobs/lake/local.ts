import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

/** Files of hundreds of megabytes: a few at once fill a network, more only wait for each other. */
const FETCHED_AT_ONCE = 4;

/** Local files with the bytes of lake objects, in order: DuckDB reads files. Copies, if any, go below `scratch`. */
export async function localPaths(
  lake: ObjectStore,
  objects: readonly { key: string }[],
  scratch: string,
): Promise<string[]> {
  return await pMap(
    objects,
    async ({ key }) => {
      const path = await lake.localFile(key, scratch);
      if (path === null) throw new Failure(`${lake.url}/${key} is missing: the ledger names it`);
      return path;
    },
    { concurrency: FETCHED_AT_ONCE },
  );
}
