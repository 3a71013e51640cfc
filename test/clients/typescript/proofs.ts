import { readFile } from 'node:fs/promises';
import type { DocumentEvidence } from '../../../lib/proofs/verify.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { proveSnapshot } from '../../../snapshots/log/prove.ts';
import { readDocument, readManifest } from '../../../snapshots/read.ts';
import { brandIds, workspaceIds } from '../../snapshots/history.ts';
import type { TestLog } from '../../snapshots/publish.ts';

const [workspaceId] = workspaceIds;
export const path = `brands/${brandIds[0]}/visibility`;

/** One document of each snapshot of a workspace, newest first, with the proof that the log gives now. */
export async function evidenceOf(log: TestLog): Promise<DocumentEvidence[]> {
  const view = (await readLog(log.store, log))!;
  const { publications } = (await readHistory(log.store, view, workspaceId))!;
  const publicKey = await readFile(log.keys.publicKey, 'utf8');
  return await Promise.all(
    publications.toReversed().map(async (publication) => {
      const { snapshotId } = publication;
      const proof = await proveSnapshot(log.store, view.checkpoint, workspaceId, publication);
      const manifest = await readManifest(log.store, workspaceId, publication);
      const document = manifest.documents.find((each) => each.path === `${path}.json`)!;
      const body = (await readDocument(log.store, manifest, document)).toString();
      return { proof, publicKey, snapshotId, path, body, workspaceId };
    }),
  );
}
