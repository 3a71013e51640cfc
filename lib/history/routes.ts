import { operationIds, routes, statusesWithId, statusesWithoutId } from '../documents/routes.ts';
import type { Route, Status } from '../documents/routes.ts';

/** The response of an operation on the history: the list of snapshots, a proof, or a document as it was published. */
export type HistoryAnswer = 'snapshots' | 'proof' | Route['document'];

/** An operation on the history of a workspace; all are GET, without query or body. */
export interface HistoryRoute {
  operationId: string;
  /** The path below the server's address, with the placeholders `{snapshotId}` and `{brandId}`. */
  path: string;
  answer: HistoryAnswer;
  summary: string;
  description: string;
  statuses: readonly Status[];
}

const SNAPSHOTS = '/api/v1/snapshots';

/** The operations on the history: two on snapshots, then one for each document. */
export const historyRoutes: readonly HistoryRoute[] = [
  {
    operationId: 'listSnapshots',
    path: SNAPSHOTS,
    answer: 'snapshots',
    summary: 'Snapshots',
    description:
      'Every published snapshot of the workspace, newest first, in one response. One is published each week; its documents never change.',
    statuses: statusesWithoutId,
  },
  {
    operationId: 'getSnapshotProof',
    path: `${SNAPSHOTS}/{snapshotId}/proof`,
    answer: 'proof',
    summary: 'Proof of a snapshot',
    description:
      'Everything needed to verify the documents of a snapshot without access to the store: the manifest with the hash of every document, the entry of the transparency log that published it, and the proof that the log contains the entry.',
    statuses: statusesWithId,
  },
  ...operationIds.map((id) => ofThePast(routes[id])),
];

/** The operation that returns a document as it was published in a snapshot. */
function ofThePast({ path, document, summary }: Route): HistoryRoute {
  const verb = document === 'brands' ? 'list' : 'get';
  return {
    operationId: `${verb}${document[0]!.toUpperCase()}${document.slice(1)}OfSnapshot`,
    path: path.replace('/api/v1', `${SNAPSHOTS}/{snapshotId}`),
    answer: document,
    summary: `${summary} of a snapshot`,
    description: `The exact bytes that were served as “${summary}” while the snapshot was the current one. They never change.`,
    statuses: statusesWithId,
  };
}
