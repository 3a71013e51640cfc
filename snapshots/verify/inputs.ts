import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { INPUTS, inputsKey } from '../layout.ts';
import type { Reporter } from './findings.ts';
import { bytesOf } from './stored.ts';

/**
 * Compares the lists of inputs that manifests name.
 * @param named the workspaces that name each list, by its key
 * @param isWhole true if all manifests were read: then the others are unpublished
 * @returns keys that nothing names
 */
export async function checkInputs(
  store: ObjectStore,
  named: ReadonlyMap<string, ReadonlySet<string>>,
  isWhole: boolean,
  report: Reporter,
): Promise<string[]> {
  await manyAtOnce(named, async ([key, workspaceIds]) => {
    const bytes = await bytesOf(store, key);
    if (bytes !== null && inputsKey(sha256(bytes)) === key) return;
    const [kind, message] =
      bytes === null
        ? (['named_missing', 'a list of inputs is missing'] as const)
        : (['named_altered', 'a list of inputs does not have the bytes that its name says'] as const);
    for (const workspaceId of workspaceIds) report.problem(kind, [key], message, { workspaceId });
  });
  if (!isWhole) return [];
  const others: string[] = [];
  for await (const { key } of store.list(INPUTS)) {
    if (named.has(key)) continue;
    if (/^inputs\/[0-9a-f]{64}\.json$/.test(key)) others.push(key);
    else report.problem('extra', [key], 'no command writes an object with this name');
  }
  return others;
}
