import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { orNull } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { brandsOf, manifestKey } from '../layout.ts';
import { mayBeGone } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import { decodeManifest } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { misplacedAs } from '../read.ts';
import type { Reporter } from './findings.ts';
import { bytesOf } from './stored.ts';

/** The manifests that are there and belong here; the absence of the others may be allowed, or was reported. */
export async function checkManifests(
  store: ObjectStore,
  { workspaceId, publications }: History,
  there: ReadonlySet<string>,
  report: Reporter,
): Promise<Map<Publication, Manifest>> {
  const manifests = new Map<Publication, Manifest>();
  await manyAtOnce(publications, async (publication) => {
    const manifest = await checkManifest(store, workspaceId, publication, there, report);
    if (manifest !== null) manifests.set(publication, manifest);
  });
  return manifests;
}

/** The manifest of a publication; null if it is gone, which may be allowed, or was reported. */
async function checkManifest(
  store: ObjectStore,
  workspaceId: string,
  publication: Publication,
  there: ReadonlySet<string>,
  report: Reporter,
): Promise<Manifest | null> {
  const { snapshotId, manifestSha256, withdrawn } = publication;
  const about = { workspaceId, snapshotId };
  const key = manifestKey(workspaceId, snapshotId, manifestSha256);
  const bytes = there.has(key) ? await bytesOf(store, key) : null;
  if (bytes === null || sha256(bytes) !== manifestSha256) {
    // What is left of these is not the manifest, and no command can write it again.
    if (mayBeGone(withdrawn?.reason)) return null;
    if (bytes === null)
      report.problem('named_missing', [key], 'the manifest of this snapshot is missing', about);
    else
      report.problem(
        'named_altered',
        [key],
        'the manifest does not have the bytes that the log names',
        about,
      );
    return null;
  }
  const manifest = orNull(() => decodeManifest(bytes, key));
  const complaint =
    manifest === null ? 'it is not a manifest' : contradiction(manifest, workspaceId, publication);
  if (complaint === null) return manifest;
  report.problem(
    'named_altered',
    [key],
    `the log names a manifest that does not belong here: ${complaint}`,
    about,
  );
  return null;
}

function contradiction(manifest: Manifest, workspaceId: string, publication: Publication): string | null {
  const { documents, methodologyVersion } = manifest;
  const misplaced = misplacedAs(manifest, workspaceId, publication.snapshotId);
  if (misplaced !== null) return misplaced;
  const isSame =
    methodologyVersion === publication.methodologyVersion &&
    documents.length === publication.documents &&
    brandsOf(documents).size === publication.brands &&
    documents.reduce((sum, { bytes }) => sum + bytes, 0) === publication.bytes;
  return isSame ? null : 'its documents are not those that the entry of the log counts';
}
