import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { NewerVersion } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { brandsOf, manifestKey } from '../layout.ts';
import { mayBeGone } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import { decodeManifest } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { misplacedAs } from '../read.ts';
import type { Reporter } from './findings.ts';
import { checkNamed } from './stored.ts';

/** The manifests that are there and belong here; the absence of the others may be allowed, or was reported. */
export async function checkManifests(
  store: ObjectStore,
  { workspaceId, publications }: History,
  report: Reporter,
): Promise<Map<Publication, Manifest>> {
  const manifests = new Map<Publication, Manifest>();
  await manyAtOnce(publications, async (publication) => {
    const { snapshotId, manifestSha256: hash, withdrawn } = publication;
    const about = { workspaceId, snapshotId };
    const key = manifestKey(workspaceId, snapshotId, hash);
    // What is left of some withdrawn ones need not be the manifest, and no command can write it again.
    const abouts = mayBeGone(withdrawn?.reason) ? [] : [about];
    const bytes = await checkNamed(store, { key, hash, what: 'manifest' }, report, abouts);
    if (bytes === null) return;
    const manifest = read(bytes, key, report);
    if (manifest === 'newer') return;
    const complaint =
      manifest === null ? 'it is not a manifest' : contradiction(manifest, workspaceId, publication);
    if (complaint === null) manifests.set(publication, manifest!);
    else
      report.problem(
        'named_altered',
        [key],
        `the log names a manifest that does not belong here: ${complaint}`,
        about,
      );
  });
  return manifests;
}

/** Null if it is not a manifest. */
function read(bytes: Buffer, key: string, report: Reporter): Manifest | 'newer' | null {
  try {
    const { value, unknown } = decodeManifest(bytes, key);
    if (unknown.length > 0) report.newer.add(`${key}: ${unknown.join(', ')}`);
    return value;
  } catch (error) {
    if (!(error instanceof NewerVersion)) return null;
    report.newer.add(error.message);
    return 'newer';
  }
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
