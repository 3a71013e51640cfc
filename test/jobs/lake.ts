import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deliver } from '../adapters/deliver.ts';
import { answersIn, publish } from '../adapters/publish.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import type { Delivery } from '../reference/drop.ts';
import { ids, writeDrop } from './records.ts';
import type { Files } from './records.ts';

export type TestLake = Awaited<ReturnType<typeof testLake>>;

export const AS_OF = '2026-11-16T06:00:00Z';

/** A lake in a folder of the test's own, to which drops are delivered. */
export async function testLake() {
  const folder = await temporaryFolder();
  const lake = join(folder, 'lake');
  let drops = 0;
  let stores = 0;
  /** Writes a drop, `drop-1` and so on, and says where it lies. */
  const dropOf = async (files: Files) => await writeDrop(join(folder, `drop-${++drops}`), files);
  /** What is published of the one workspace. */
  const answers = async (asOf = AS_OF) => {
    const store = join(folder, `store-${++stores}`);
    await publish(lake, store, asOf);
    return await answersIn(store, ids.workspace);
  };
  return {
    folder,
    lake,
    dropOf,
    ingested: async (files: Files, date = '2026-11-16', rules: Partial<Delivery> = {}) =>
      await deliver(lake, { folder: await dropOf(files), date, ...rules }),
    answers,
    brandNames: async (asOf?: string) =>
      ((await answers(asOf))['brands'] as { name: string }[]).map(({ name }) => name),
  };
}

/**
 * Returns a function that makes a lake with deliveries: its first call makes them, the others copy what it made. Call it
 * outside of hooks and tests.
 */
export function lakeWith(deliveries: (given: TestLake) => Promise<unknown>): () => Promise<TestLake> {
  const newFolder = temporaryFolders();
  let made: string | undefined;
  return async () => {
    const given = await testLake();
    if (made !== undefined) await cp(made, given.lake, { recursive: true });
    else {
      await deliveries(given);
      made = await newFolder();
      await cp(given.lake, made, { recursive: true });
    }
    return given;
  };
}

/** The paths of all files below a folder; none where it is not there. */
export async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name))
    .toSorted();
}
