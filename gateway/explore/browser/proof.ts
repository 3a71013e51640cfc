import { VerificationError, compareDocument, verifySnapshot } from '../../../lib/proofs/verify.ts';
import type { VerifiedSnapshot } from '../../../lib/proofs/verify.ts';
import type { SnapshotProof } from '../../../lib/history/schemas.ts';
import { markup } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import type { WeekDocuments } from './documents.ts';
import type { Requests } from './requests.ts';

const PEM_START = '-----BEGIN PUBLIC KEY-----';

export interface Verdict {
  isVerified: boolean;
  text: Html;
}

interface VerifiedWeek {
  snapshot: VerifiedSnapshot;
  /** The number of its documents on screen. */
  documents: number;
}

interface Trust {
  /** The pasted PEM text; '' to use the key of this server. */
  publicKey: string;
  /** The pasted name of the log; '' for any. */
  origin: string;
}

/**
 * Checks that the documents on screen have the bytes that were published: their hashes, the place in the log, and the
 * signature over the log. Takes one request of the allowance for each week.
 * @param weeks the week on screen first, then the week before if it is compared
 */
export async function checkProof(
  requests: Requests,
  weeks: readonly WeekDocuments[],
  { publicKey, origin }: Trust,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!isSecureContext)
    return failed('This check needs a connection over HTTPS: browsers offer cryptography to no other page.');
  const isOwn = publicKey.trim() !== '';
  const pem = isOwn ? publicKey : await keyOfServer(signal);
  if (pem === '')
    return failed('Not checked: this server offers no public key. Paste the key of the operator.');
  if (!pem.includes(PEM_START))
    return failed(`What you pasted is not a public key. A public key begins with ${PEM_START}.`);
  const logOrigin = origin.trim() === '' ? undefined : origin.trim();
  const verified: VerifiedWeek[] = [];
  try {
    for (const { snapshotId, read } of weeks.filter((week) => week.read.size > 0)) {
      const path = `/api/v1/snapshots/${snapshotId}/proof`;
      const { data: proof } = await requests.get<SnapshotProof>(path, signal);
      const snapshot = await verifySnapshot({ proof, publicKey: pem, snapshotId, logOrigin });
      for (const [name, { body }] of read) await compareDocument(snapshot, name, body);
      verified.push({ snapshot, documents: read.size });
    }
  } catch (error) {
    if (error instanceof VerificationError) return failed(`Not verified: ${error.message}.`);
    throw error;
  }
  if (verified.length === 0) return failed('Not checked: no document is on screen.');
  return { isVerified: true, text: verifiedInWords(verified, isOwn) };
}

function failed(sentence: string): Verdict {
  return { isVerified: false, text: markup`<p>${sentence}</p>` };
}

function verifiedInWords(verified: readonly VerifiedWeek[], isOwn: boolean): Html {
  const whose = isOwn
    ? 'The key is the one that you pasted.'
    : 'The key came from this server, so the check is not independent: it shows that nothing was altered by accident.';
  const counts = verified.map(
    ({ snapshot, documents }) => `${documents} documents as of ${snapshot.asOf.slice(0, 10)}`,
  );
  // Without white space before it: the status begins with this word.
  const first = `Verified: all ${counts.join(' and all ')} on screen are exactly what was published. ${whose}`;
  return markup`<p>${first}</p>
    <p>
      This shows that the numbers are the ones that were published. It does not show that the measurements are right.
    </p>
    <details>
      <summary>What was checked</summary>
      ${verified.map(({ snapshot }) => evidenceInWords(snapshot))}
    </details>`;
}

function evidenceInWords({ snapshotId, sequence, publishedAt, signedBy, log }: VerifiedSnapshot): Html {
  return markup`<ul>
    <li>Hashes: each document has the SHA-256 that the manifest of snapshot ${snapshotId} lists.</li>
    <li>Log: entry ${log.index + 1} of ${log.size} in the log ${log.origin} names this manifest. It is publication ${sequence} of the workspace, of ${publishedAt}. The root of these entries is ${log.rootHash}.</li>
    <li>Signature: the head of the log is signed with the key ${signedBy}.</li>
  </ul>`;
}

/** '' if the server has none. */
async function keyOfServer(signal: AbortSignal): Promise<string> {
  return await (await fetch('/explore/public-key.pem', { signal })).text();
}
