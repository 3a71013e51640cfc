import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { figuresSchema } from '../weekly/report/figures.ts';
import type { Figures } from '../weekly/report/figures.ts';

/** The last scheduled instant whose run was completed, and what it did. */
const completedSchema = figuresSchema.extend({ format: z.literal(1) });

export async function readCompleted(store: ObjectStore, key: string): Promise<Figures | null> {
  return (await readStored(store, key))?.completed ?? null;
}

/**
 * Stores the record, unless the stored one is of the same or a later instant that has come.
 * @param now in milliseconds
 */
export async function recordCompleted(
  store: ObjectStore,
  key: string,
  completed: Figures,
  now: number,
): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...completed })}\n`);
  for (;;) {
    const stored = await readStored(store, key);
    const before = stored === null ? -Infinity : Date.parse(stored.completed.due);
    if (before >= Date.parse(completed.due) && before <= now) return;
    if (await store.swap(key, bytes, stored?.version ?? null)) return;
  }
}

async function readStored(store: ObjectStore, key: string) {
  const object = await store.get(key);
  if (object === null) return null;
  const { format: _format, ...completed } = decodeJson(object.bytes, completedSchema, `${store.url}/${key}`);
  return { completed, version: object.version };
}
