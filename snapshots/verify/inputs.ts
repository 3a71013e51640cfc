import pMap from 'p-map';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { INPUTS, inputsKey } from '../layout.ts';
import type { Reporter } from './findings.ts';
import { bytesOf } from './stored.ts';

const READS_AT_ONCE = 16;

/**
 * Compares the lists of inputs that manifests name.
 * @param isWhole true if all manifests were read: then the others are unpublished
 * @returns keys that nothing names
 */
export async function checkInputs(
  store: ObjectStore,
  named: ReadonlySet<string>,
  isWhole: boolean,
  report: Reporter,
): Promise<string[]> {
  await pMap(
    named,
    async (key) => {
      const bytes = await bytesOf(store, key);
      if (bytes === null) report.problem('named_missing', [key], 'a list of inputs is missing');
      else if (inputsKey(sha256(bytes)) !== key)
        report.problem('named_altered', [key], 'a list of inputs does not have the bytes that its name says');
    },
    { concurrency: READS_AT_ONCE },
  );
  if (!isWhole) return [];
  const others: string[] = [];
  for await (const { key } of store.list(INPUTS)) {
    if (named.has(key)) continue;
    if (/^inputs\/[0-9a-f]{64}\.json$/.test(key)) others.push(key);
    else report.problem('extra', [key], 'no command writes an object with this name');
  }
  return others;
}
