import { judgeSignature } from '../../lib/signing.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { manifestKey, signatureKey } from '../layout.ts';
import type { Chain, Member } from './chain.ts';
import type { Reporter } from './findings.ts';

/**
 * Checks who signed the manifests of a chain. A manifest names its key within the bytes that are hashed and signed,
 * so a signature that was taken away is missed even without a key. Manifests from before signing began are vouched
 * for by the first signed one after them, through its link.
 * @param trust null: it is only checked that the signatures are there.
 * @returns how many signatures were found valid.
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
    const { snapshotId } = member.link;
    const concerned = { snapshotId, asOf: member.manifest.asOf };
    const key = manifestKey(workspaceId, snapshotId);
    if (member.manifest.signedBy !== null) {
      if (await checkOne(store, workspaceId, member, trust, report)) valid += 1;
    } else if (trust !== null && index < firstSigned) {
      report.problem('unsigned', [key], 'this manifest is not signed, but older ones are', concerned);
    } else if (trust !== null && valid === 0) {
      report.problem('unsigned', [key], 'this manifest is not signed', concerned);
    } else if (trust !== null) {
      const message = 'not signed, from before signing began; vouched for by the signed manifests after it';
      report.note('unsigned history', [key], message, concerned);
    }
    noteLeftovers(member, report);
  }
  return valid;
}

async function checkOne(
  store: ObjectStore,
  workspaceId: string,
  { manifest, manifestBytes, link }: Member,
  trust: Trust | null,
  report: Reporter,
): Promise<boolean> {
  const { snapshotId, manifestSha256 } = link;
  const concerned = { snapshotId, asOf: manifest.asOf };
  const key = signatureKey(workspaceId, snapshotId, manifestSha256);
  const signature = await store.get(key);
  if (signature === null) {
    report.problem('missing', [key], 'the signature of this manifest is missing', concerned);
    return false;
  }
  if (trust === null) return false;
  const verdict = judgeSignature(trust, manifest.signedBy!, manifestBytes, signature.bytes);
  if (verdict === 'foreign') {
    const message = `this manifest is signed with a key that is not trusted, ${manifest.signedBy}`;
    report.problem('foreign key', [manifestKey(workspaceId, snapshotId), key], message, concerned);
  }
  if (verdict === 'wrong') {
    const message = 'this signature is not over the manifest beside it, by the key that it names';
    report.problem('wrong signature', [key], message, concerned);
  }
  return verdict === 'valid';
}

/** Of a manifest that never became current and was replaced by the one that did. */
function noteLeftovers({ folder, link, manifest }: Member, report: Reporter): void {
  const own = manifest.signedBy === null ? null : link.manifestSha256.slice(0, 16);
  const others = [...folder.signatures].filter(([hash]) => hash !== own).map(([, key]) => key);
  if (others.length === 0) return;
  const message = 'the signature of a manifest that was replaced before it was published';
  report.note('unpublished leftovers', others, message, { snapshotId: link.snapshotId, asOf: manifest.asOf });
}
