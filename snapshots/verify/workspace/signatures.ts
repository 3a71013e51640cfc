import { judgeSignature } from '../../signing.ts';
import type { Trust } from '../../signing.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { signatureKey } from '../../layout.ts';
import type { Chain, Member } from './chain.ts';
import type { Reporter } from '../findings.ts';

/**
 * Checks the signatures of a chain's manifests. A manifest names its key within the hashed and signed bytes, so a
 * removed signature is detected even without a key. Through the links, a valid signature of a trusted key covers all
 * earlier snapshots: unsigned ones from before signing began, and those of a retired key. A key that was replaced must
 * not sign again.
 * @param trust null: only the presence of signatures is checked
 * @returns the number of valid signatures
 */
export async function checkSignatures(
  store: ObjectStore,
  workspaceId: string,
  { members }: Chain,
  trust: Trust | null,
  report: Reporter,
): Promise<number> {
  let valid = 0;
  const firstSigned = members.findLastIndex(({ manifest }) => manifest.signedBy !== null);
  for (const [index, member] of members.entries()) {
    const { signedBy, asOf } = member.manifest;
    const snapshot = { snapshotId: member.link.snapshotId, asOf };
    if (signedBy !== null) {
      if (await checkOne(store, workspaceId, member, { trust, isVouchedFor: valid > 0 }, report)) valid += 1;
    } else if (index < firstSigned) {
      report.problem('unsigned', [member.key], 'this manifest is not signed, but older ones are', snapshot);
    } else if (trust !== null && valid === 0) {
      report.problem('unsigned', [member.key], 'this manifest is not signed', snapshot);
    } else if (trust !== null) {
      const message = 'not signed, from before signing began; covered by the signed manifests after it';
      report.note('unsigned_history', [member.key], message, snapshot);
    }
  }
  reportRetiredKeys(members, report);
  return valid;
}

async function checkOne(
  store: ObjectStore,
  workspaceId: string,
  { key: manifestKey, manifest, manifestBytes, link }: Member,
  { trust, isVouchedFor }: { trust: Trust | null; isVouchedFor: boolean },
  report: Reporter,
): Promise<boolean> {
  const { snapshotId, manifestSha256 } = link;
  const snapshot = { snapshotId, asOf: manifest.asOf };
  const key = signatureKey(workspaceId, snapshotId, manifestSha256);
  const signature = await store.get(key);
  if (signature === null) {
    report.problem('missing', [key], 'the signature of this manifest is missing', snapshot);
    return false;
  }
  if (trust === null) return false;
  const verdict = judgeSignature(trust, manifest.signedBy!, manifestBytes, signature.bytes);
  if (verdict === 'foreign' && isVouchedFor) {
    const message = `signed with another key, ${manifest.signedBy}; covered by the signed manifests after it`;
    report.note('retired_key_history', [manifestKey], message, snapshot);
  } else if (verdict === 'foreign') {
    const message = `this manifest is signed with a key that is not trusted, ${manifest.signedBy}`;
    report.problem('foreign_key', [manifestKey, key], message, snapshot);
  } else if (verdict === 'wrong') {
    const message = 'this signature is not over the manifest next to it, by the key that it names';
    report.problem('wrong_signature', [key], message, snapshot);
  }
  return verdict === 'valid';
}

/** @param members newest first */
function reportRetiredKeys(members: readonly Member[], report: Reporter): void {
  const retired = new Set<string>();
  let current: string | null = null;
  for (const { key, manifest, link } of members.toReversed()) {
    const { signedBy, asOf } = manifest;
    if (signedBy === null || signedBy === current) continue;
    if (retired.has(signedBy)) {
      const message = `this manifest is signed with the key ${signedBy}, which another key had replaced before`;
      report.problem('retired_key', [key], message, { snapshotId: link.snapshotId, asOf });
    }
    if (current !== null) retired.add(current);
    current = signedBy;
  }
}
