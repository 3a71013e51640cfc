import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Entry, ObjectStore } from '../../../lib/store/store.ts';

/**
 * Creates immutable objects; those that are there already must have the same bytes. All are durable on return.
 * @throws Failure if a key has other bytes: only the commands that repair replace an object.
 */
export async function createExactly(store: ObjectStore, objects: readonly Entry[]): Promise<void> {
  const created = await store.createMany(objects);
  const there = objects.filter((_, index) => created[index] === false);
  await manyAtOnce(there, async ({ key, bytes }) => {
    if ((await store.get(key))?.bytes.equals(bytes) === true) return;
    throw new Failure(
      `${store.url}/${key} does not have the expected bytes: repair it if "audit verify" names it (docs/auditing.md), otherwise delete it, because a killed publication left it`,
    );
  });
}

/** An object that was written again. */
export interface Written {
  key: string;
  /** `superseded`: it was altered, newer objects replaced it, and so it was deleted. */
  was: 'missing' | 'altered' | 'superseded';
}

/**
 * Writes objects whose bytes the lake remembers, in place of what is missing or altered.
 * @returns those that were written
 */
export async function writeExactly(store: ObjectStore, objects: readonly Entry[]): Promise<Written[]> {
  const written = await manyAtOnce(
    new Map(objects.map((object) => [object.key, object])).values(), // workspaces share inputs
    async ({ key, bytes }) => await writeOne(store, key, Buffer.from(bytes)),
  );
  return written.filter((each) => each !== null);
}

/** Others may write the same bytes at the same time. */
async function writeOne(store: ObjectStore, key: string, bytes: Buffer): Promise<Written | null> {
  for (;;) {
    const object = await store.get(key);
    if (object?.bytes.equals(bytes) === true) return null;
    if (await store.swap(key, bytes, object?.version ?? null))
      return { key, was: object === null ? 'missing' : 'altered' };
  }
}
