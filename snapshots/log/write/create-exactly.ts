import pMap from 'p-map';
import { Failure } from '../../../lib/failure.ts';
import type { Entry, ObjectStore } from '../../../lib/store/store.ts';

const READS_AT_ONCE = 16;

/**
 * Creates immutable objects; those that are there already must have the same bytes. All are durable on return.
 * @throws Failure if a key has other bytes: only the commands that repair replace an object.
 */
export async function createExactly(store: ObjectStore, objects: readonly Entry[]): Promise<void> {
  const created = await store.createMany(objects);
  const there = objects.filter((_, index) => created[index] === false);
  await pMap(
    there,
    async ({ key, bytes }) => {
      if ((await store.get(key))?.bytes.equals(bytes) === true) return;
      throw new Failure(
        `${store.url}/${key} does not have the expected bytes: "audit verify" says what is damaged, and docs/auditing.md how to repair it`,
      );
    },
    { concurrency: READS_AT_ONCE },
  );
}
