import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

/** Local files with the bytes of lake objects, in order: DuckDB reads files. Copies, if any, go below `scratch`. */
export async function localPaths(
  lake: ObjectStore,
  objects: readonly { key: string }[],
  scratch: string,
): Promise<string[]> {
  const paths: string[] = [];
  for (const { key } of objects) {
    const path = await lake.localFile(key, scratch);
    if (path === null) throw new Failure(`${lake.url}/${key} is missing: the ledger names it`);
    paths.push(path);
  }
  return paths;
}
