import { sha256 } from '../../lib/hash.ts';
import type { Trust } from '../../snapshots/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { PastSnapshot } from '../../snapshots/manifest.ts';
import { readSnapshotProof } from '../../snapshots/proof.ts';
import type { DocumentCache } from './document-cache.ts';
import type { Found } from './documents.ts';
import type { History } from './past-snapshots.ts';
import { prepareDocument } from './prepared-document.ts';
import { sharedLoads } from './shared-loads.ts';

/** The proofs of snapshots; cached once the log contains the snapshot. */
export interface PastProofs {
  inMemory(past: PastSnapshot): Found | undefined;
  /** @throws Failure if an object cannot be read. */
  read(history: History, past: PastSnapshot): Promise<Found>;
}

export function pastProofs(store: ObjectStore, cache: DocumentCache, trust: Trust | null): PastProofs {
  const readOnce = sharedLoads<Found>();
  return {
    inMemory(past) {
      const document = cache.get(nameOf(past), 'past');
      return document && { document, snapshotId: past.snapshotId, lastModified: null, isFinal: true };
    },
    read: async ({ view }, past) =>
      await readOnce(past.manifestSha256, async () => {
        const data = await readSnapshotProof(store, view.workspaceId, past, trust);
        const body = Buffer.from(`${JSON.stringify({ data })}\n`);
        const document = await prepareDocument(body, sha256(body));
        // Not cached: the log will contain the snapshot soon.
        const isFinal = data.inclusionProof !== null;
        if (isFinal) cache.keep(nameOf(past), 'past', document);
        return { document, snapshotId: past.snapshotId, lastModified: null, isFinal };
      }),
  };
}

function nameOf({ manifestSha256 }: PastSnapshot): string {
  return `${manifestSha256} proof`;
}
