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
 * Stores the record, unless the stored one is of a later instant that has come, or of the same with as many deliveries.
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
    if (stored !== null && isAtLeast(stored.completed, completed, now)) return;
    if (await store.swap(key, bytes, stored?.version ?? null)) return;
  }
}

/** True if a record makes another one superfluous: it is of a later instant, or of the same with as many deliveries. */
function isAtLeast(stored: Figures, completed: Figures, now: number): boolean {
  const [before, due] = [Date.parse(stored.due), Date.parse(completed.due)];
  if (before !== due) return before > due && before <= now;
  return (stored.deliveries ?? 0) >= (completed.deliveries ?? 0);
}

async function readStored(store: ObjectStore, key: string) {
  const object = await store.get(key);
  if (object === null) return null;
  const { format: _format, ...completed } = decodeJson(object.bytes, completedSchema, `${store.url}/${key}`);
  return { completed, version: object.version };
}
