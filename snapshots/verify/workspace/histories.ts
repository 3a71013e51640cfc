import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { historyKey, inputsKey } from '../../layout.ts';
import { encodeHistory, summaryOf } from '../../manifest.ts';
import type { Chain } from './chain.ts';
import type { Reporter } from '../findings.ts';

/** Checks that the history of every snapshot exists and lists exactly the chain before it. */
export async function checkHistories(
  store: ObjectStore,
  workspaceId: string,
  { members, isWhole }: Chain,
  report: Reporter,
): Promise<void> {
  const summaries = members.map(({ manifest, link }) => summaryOf(manifest, link.manifestSha256));
  for (const [index, { key: manifestKey, manifest, link }] of members.entries()) {
    if (manifest.history === null) continue;
    const snapshot = { snapshotId: link.snapshotId, asOf: manifest.asOf };
    const key = historyKey(workspaceId, link.snapshotId, manifest.history);
    const stored = await store.get(key);
    if (stored === null) {
      report.problem('missing', [key], 'the list of earlier snapshots is missing', snapshot);
    } else if (sha256(stored.bytes) !== manifest.history) {
      report.problem('altered', [key], 'the list of earlier snapshots has other bytes', snapshot);
    }
    const expected = sha256(encodeHistory(summaries.slice(index + 1).toReversed()));
    if (isWhole && expected !== manifest.history) {
      const message = 'the list of earlier snapshots that this manifest names does not match the chain';
      report.problem('rewritten', [manifestKey, key], message, snapshot);
    }
  }
}

/** The lists of inputs of a store; each is read once, even if many snapshots name it. */
export class InputLists {
  readonly #store: ObjectStore;
  readonly #listed: ReadonlySet<string>;
  /** The result of checking each list, by hash. */
  readonly #checked = new Map<string, 'sound' | 'missing' | 'altered'>();

  /** @param listed the keys of all lists in the store */
  constructor(store: ObjectStore, listed: readonly string[]) {
    this.#store = store;
    this.#listed = new Set(listed);
  }

  async check({ members }: Chain, report: Reporter): Promise<void> {
    for (const { manifest } of members) {
      const key = inputsKey(manifest.inputs);
      const state = this.#checked.get(manifest.inputs) ?? (await this.#look(key, manifest.inputs));
      this.#checked.set(manifest.inputs, state);
      const { snapshotId, asOf } = manifest;
      if (state === 'missing')
        report.problem('missing', [key], 'the list of inputs is missing', { snapshotId, asOf });
      if (state === 'altered')
        report.problem('altered', [key], 'the list of inputs has other bytes', { snapshotId, asOf });
    }
  }

  async #look(key: string, hash: string): Promise<'sound' | 'missing' | 'altered'> {
    const object = await this.#store.get(key);
    if (object === null) return 'missing';
    return sha256(object.bytes) === hash ? 'sound' : 'altered';
  }

  /** Keys of lists that no published snapshot names. */
  unused(): string[] {
    const used = new Set([...this.#checked.keys()].map(inputsKey));
    return [...this.#listed].filter((key) => !used.has(key));
  }
}
