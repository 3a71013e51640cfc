import { counted } from '../../../lib/weeks/names.ts';
import { VerificationError, compareDocument, verifySnapshot } from '../../../lib/proofs/verify.ts';
import type { VerifiedSnapshot } from '../../../lib/proofs/verify.ts';
import type { SnapshotProof } from '../../../lib/history/schemas.ts';
import { markup } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import type { Snapshot, WeekDocuments } from './documents.ts';
import type { Requests } from './requests.ts';

const PEM_START = '-----BEGIN PUBLIC KEY-----';

export interface Verdict {
  isVerified: boolean;
  /** A few words for the badge. */
  badge: string;
  text: Html;
  /** By the signed manifest; null if it has none, or was not verified. */
  workspaceName: string | null;
}

/** A week with the documents that were read of it. */
export interface WeekRead {
  documents: WeekDocuments;
  name: string;
}

interface VerifiedWeek {
  snapshot: VerifiedSnapshot;
  name: string;
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
 * @param weeks the week on screen first, then the week that it is compared with
 */
export async function checkProof(
  requests: Requests,
  weeks: readonly WeekRead[],
  { publicKey, origin }: Trust,
  signal: AbortSignal,
): Promise<Verdict> {
  if (!isSecureContext)
    return failed(
      'Not checked',
      'This check needs a connection over HTTPS: browsers offer cryptography to no other page.',
    );
  const isOwn = publicKey.trim() !== '';
  const pem = isOwn ? publicKey : await keyOfServer(signal);
  if (pem === '')
    return failed('Not checked', 'This server offers no public key. Paste the key of the operator.');
  if (!pem.includes(PEM_START))
    return failed(
      'Not checked',
      `What you pasted is not a public key. A public key begins with ${PEM_START}.`,
    );
  const logOrigin = origin.trim() === '' ? undefined : origin.trim();
  const verified: VerifiedWeek[] = [];
  let workspaceName: string | null = null;
  try {
    for (const { documents, name } of weeks) {
      const { snapshot, read } = documents;
      const { data: proof } = await requests.get<SnapshotProof>(pathOf(snapshot), signal);
      const found = await verifySnapshot({ proof, publicKey: pem, snapshotId: snapshot.id, logOrigin });
      for (const [document, { body }] of read) await compareDocument(found, document, body);
      verified.push({ snapshot: found, name, documents: read.size });
      workspaceName ??= (JSON.parse(proof.manifest) as { workspaceName: string | null }).workspaceName;
    }
  } catch (error) {
    if (error instanceof VerificationError) return failed('Not verified ✗', `${error.message}.`);
    throw error;
  }
  return {
    isVerified: true,
    badge: `Verified ✓ signed log${isOwn ? ', your key' : ''}`,
    text: verifiedInWords(verified, isOwn),
    workspaceName,
  };
}

/** True if a check of these weeks sends no request: their proofs are kept. */
export function isFree(requests: Requests, weeks: readonly WeekRead[]): boolean {
  return weeks.every(({ documents }) => requests.has(pathOf(documents.snapshot)));
}

function pathOf({ id }: Snapshot): string {
  return `/api/v1/snapshots/${id}/proof`;
}

function failed(badge: string, sentence: string): Verdict {
  return { isVerified: false, badge, text: markup`<p>${sentence}</p>`, workspaceName: null };
}

function verifiedInWords(verified: readonly VerifiedWeek[], isOwn: boolean): Html {
  const whose = isOwn
    ? 'The key is the one that you pasted.'
    : 'The key came from this server, so the check is not independent: it shows that nothing was altered by accident.';
  const counts = verified.map(({ name, documents }) => `${counted(documents, 'document')} of the ${name}`);
  return markup`<p>What is on screen is exactly what was published: ${counts.join(' and ')}. ${whose}</p>
    <p>
      This shows that the numbers are the ones that were published. It does not show that the measurements are right. The
      drift bands of other weeks in the charts are not part of it.
    </p>
    <p><b>What was checked</b></p>
    ${verified.map(({ snapshot }) => evidenceInWords(snapshot))}`;
}

function evidenceInWords({ snapshotId, sequence, publishedAt, signedBy, log }: VerifiedSnapshot): Html {
  return markup`<ul>
    <li>Hashes: each document has the SHA-256 that the manifest of snapshot ${snapshotId} lists.</li>
    <li>Log: entry ${log.index + 1} of ${log.size} in the log ${log.origin} names this manifest. It is publication ${sequence} of the workspace, of ${publishedAt}. The root of these entries is ${log.rootHash}.</li>
    <li>Signature: the head of the log is signed with the key ${signedBy}.</li>
  </ul>`;
}

/** The badge, with what was checked behind it. */
export function badgeOf({ badge, text }: Pick<Verdict, 'badge' | 'text'>): Html {
  return markup`<details class="badge"><summary>${badge}</summary><div class="pop" tabindex="0" role="region" aria-label="The proof">${text}</div></details>`;
}

/** '' if the server has none. */
async function keyOfServer(signal: AbortSignal): Promise<string> {
  return await (await fetch('/explore/public-key.pem', { signal })).text();
}
