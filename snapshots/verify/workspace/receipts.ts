import type { ObjectStore } from '../../../lib/store/store.ts';
import { receiptKey } from '../../layout.ts';
import { encodePointer } from '../../manifest.ts';
import type { Chain } from './chain.ts';
import type { Reporter } from '../findings.ts';

/** Checks that every snapshot of a chain has a receipt, and that it names the same manifest as the chain. */
export async function checkReceipts(
  store: ObjectStore,
  workspaceId: string,
  { members }: Chain,
  report: Reporter,
): Promise<void> {
  for (const [index, { folder, link, manifest }] of members.entries()) {
    const key = receiptKey(workspaceId, link.snapshotId);
    const snapshot = { snapshotId: link.snapshotId, asOf: manifest.asOf };
    const receipt = folder.hasReceipt ? await store.get(key) : null;
    if (receipt === null && index === 0) {
      const message =
        'the publication was killed just before its last step, or is still running; the next publication completes it';
      report.note('no_receipt', [key], message, snapshot);
    } else if (receipt === null) {
      report.problem('missing', [key], 'the receipt of this publication is missing', snapshot);
    } else if (!receipt.bytes.equals(encodePointer(link))) {
      report.problem('altered', [key], 'the receipt names another manifest', snapshot);
    }
  }
}
