import { sha256 } from '../../lib/hash.ts';
import { manifestKey, pointerKey } from '../../snapshots/layout.ts';
import { encodeManifest, encodePointer, snapshotIdOf } from '../../snapshots/manifest.ts';
import type { Manifest } from '../../snapshots/manifest.ts';

/** Makes the pointer and the manifest of the first snapshot of a workspace, unsigned, by key. */
export function firstSnapshot(
  workspaceId: string,
  content: Pick<Manifest, 'asOf' | 'methodologyVersion' | 'documents'>,
): { snapshotId: string; objects: [string, Buffer][] } {
  const snapshotId = snapshotIdOf(content);
  const manifest = encodeManifest({
    ...content,
    format: 2,
    workspaceId,
    workspaceName: null,
    snapshotId,
    sequence: 1,
    publishedAt: content.asOf,
    codeVersion: 'test',
    duckdbVersion: 'none',
    signedBy: null,
    previous: null,
    history: null,
    completeness: null,
    inputs: sha256(''),
  });
  return {
    snapshotId,
    objects: [
      [pointerKey(workspaceId), encodePointer({ snapshotId, manifestSha256: sha256(manifest) })],
      [manifestKey(workspaceId, snapshotId), manifest],
    ],
  };
}
