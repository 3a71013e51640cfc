import type { Snapshots, SnapshotProof } from './api.ts';
import { Connection } from './connection.ts';
import { SightlineError } from './error.ts';
import { VerificationError, compareDocument, isStale, verifySnapshot } from './verify.ts';
import type { VerifiedSnapshot } from './verify.ts';

export interface VerifyOptions {
  baseUrl: string;
  apiKey: string;
  /** In PEM. */
  publicKey: string;
  logOrigin: string | undefined;
  /** The id; absent: the current one. */
  snapshot: string | undefined;
}

/**
 * Verifies a snapshot, and every document of it as the service returns it.
 * @param print gets a line for each thing that was verified
 * @returns what is wrong with documents
 * @throws VerificationError if the proof is wrong; SightlineError if something cannot be read
 */
export async function runVerify(
  { baseUrl, apiKey, publicKey, logOrigin, snapshot }: VerifyOptions,
  print: (line: string) => void,
): Promise<string[]> {
  const connection = new Connection({ baseUrl, apiKey, store: null, userAgent: 'verify' });
  const { data: snapshots } = await connection.get<Snapshots>('/api/v1/snapshots');
  const listed = snapshots.find(({ id, isCurrent }) =>
    snapshot === undefined ? isCurrent : id === snapshot,
  );
  if (listed === undefined)
    throw new SightlineError(
      'not_found',
      snapshot === undefined ? 'no snapshot is current' : `no snapshot ${snapshot}`,
    );
  const { id: snapshotId, withdrawn, isCurrent } = listed;
  if (withdrawn === 'lost')
    throw new SightlineError('not_found', `the documents and the proof of ${snapshotId} were lost`);
  const base = `/api/v1/snapshots/${snapshotId}`;
  const { data: proof } = await connection.get<SnapshotProof>(`${base}/proof`);
  const verified = await verifySnapshot({ proof, publicKey, snapshotId, logOrigin });
  print(logLine(verified));
  print(snapshotLine(verified));
  if (isCurrent && isStale(verified))
    print(
      'Stale: a week is missing. Nothing was published for more than nine days, or the service hides it.',
    );
  if (withdrawn !== null) print(`Withdrawn by the operator: ${withdrawn}.`);
  if (withdrawn === 'pruned') {
    print('Documents: not compared, because they were removed.');
    return [];
  }
  const problems = await differencesOf(connection, base, verified);
  if (problems.length === 0)
    print(`Documents: all ${verified.documents.size} have the bytes that were published.`);
  return problems;
}

function logLine({ log: { origin, size, rootHash }, signedBy }: VerifiedSnapshot): string {
  return `Log: ${origin} has ${size} entries, root ${rootHash}, signed with the key ${signedBy}.`;
}

function snapshotLine({ snapshotId, workspaceId, sequence, publishedAt, log }: VerifiedSnapshot): string {
  const place = `entry ${log.index + 1} of the log`;
  return `Snapshot: ${snapshotId}, ${place}, is publication ${sequence} of workspace ${workspaceId}, of ${publishedAt}.`;
}

/** One after the other: the connection waits for the next minute when the allowance is used up. */
async function differencesOf(
  connection: Connection,
  base: string,
  verified: VerifiedSnapshot,
): Promise<string[]> {
  const problems: string[] = [];
  for (const path of verified.documents.keys()) {
    try {
      const { body } = await connection.get(`${base}/${path}`);
      await compareDocument(verified, path, body);
    } catch (error) {
      const isGone = error instanceof SightlineError && error.code === 'not_found';
      if (!isGone && !(error instanceof VerificationError)) throw error;
      problems.push(isGone ? `the service does not return the document ${path}` : error.message);
    }
  }
  return problems;
}
