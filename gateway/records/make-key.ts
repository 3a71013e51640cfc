import { newKey, storedForm } from '../admission/keys.ts';
import type { KeyRecord, Records } from './records.ts';

/**
 * Creates a key. Tries another one if the prefix is taken, which is rare: there are four billion prefixes.
 * @returns the key, which is not stored, and its record
 * @throws Failure if the workspace is unknown
 */
export async function makeKey(
  records: Pick<Records, 'createKey'>,
  workspaceId: string,
  label: string | null,
): Promise<{ key: string; made: KeyRecord }> {
  for (;;) {
    const key = newKey();
    const made = await records.createKey(workspaceId, storedForm(key), label);
    if (made !== null) return { key, made };
  }
}
