import { sha256 } from '../../lib/hash.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { formats } from '../../lib/store/formats.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { brandsOf, inputsKey, manifestKey, snapshotPrefix } from '../layout.ts';
import { createExactly } from '../log/write/create-exactly.ts';
import type { Draft } from '../log/write/commit.ts';
import { encodeInputs, encodeManifest, snapshotIdOf } from '../manifest.ts';
import type { Inputs, Manifest, ManifestCompleteness } from '../manifest.ts';

export interface PublishedDocument {
  /** The path inside the snapshot, as in snapshots/layout.ts. */
  path: string;
  bytes: Buffer;
}

/** The content of a snapshot: its documents, and what they were computed from. */
export interface SnapshotContent extends Pick<
  Manifest,
  'workspaceId' | 'asOf' | 'methodologyVersion' | 'codeVersion' | 'duckdbVersion'
> {
  workspaceName?: string | null;
  completeness?: ManifestCompleteness | null;
  /** The lake objects that were read. */
  inputs: Inputs;
  documents: readonly PublishedDocument[];
}

/** The manifest of a snapshot, encoded. */
export interface Described {
  manifest: Manifest;
  bytes: Buffer;
  manifestSha256: string;
  inputs: Buffer;
}

export function describeSnapshot(content: SnapshotContent): Described {
  const documents = content.documents
    .map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256(bytes) }))
    .toSorted((a, b) => compareText(a.path, b.path));
  const inputs = encodeInputs(content.inputs);
  const manifest: Manifest = {
    format: formats.store,
    workspaceId: content.workspaceId,
    workspaceName: content.workspaceName ?? null,
    snapshotId: snapshotIdOf({ ...content, documents }),
    asOf: content.asOf,
    methodologyVersion: content.methodologyVersion,
    codeVersion: content.codeVersion,
    duckdbVersion: content.duckdbVersion,
    completeness: content.completeness ?? null,
    inputs: sha256(inputs),
    documents,
  };
  const bytes = encodeManifest(manifest);
  return { manifest, bytes, manifestSha256: sha256(bytes), inputs };
}

/**
 * Writes documents, list of inputs and manifest. Nobody looks at them until the log names the manifest. What a killed
 * publication left is compared.
 * @param writtenInputs hashes of the lists of inputs that this run wrote before
 */
export async function writeSnapshot(
  store: ObjectStore,
  { manifest, bytes, manifestSha256, inputs }: Described,
  documents: readonly PublishedDocument[],
  writtenInputs = new Set<string>(),
): Promise<void> {
  const { workspaceId, snapshotId } = manifest;
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  await createExactly(
    store,
    documents.map(({ path, bytes: body }) => ({ key: `${prefix}${path}`, bytes: body })),
  );
  const list = { key: inputsKey(manifest.inputs), bytes: inputs };
  await createExactly(store, [
    ...(writtenInputs.has(manifest.inputs) ? [] : [list]),
    { key: manifestKey(workspaceId, snapshotId, manifestSha256), bytes },
  ]);
  writtenInputs.add(manifest.inputs);
}

/** The entry that publishes a snapshot. */
export function draftOf({ manifest, manifestSha256 }: Described): Draft & { kind: 'published' } {
  const { workspaceId, snapshotId, methodologyVersion, documents } = manifest;
  return {
    kind: 'published',
    workspaceId,
    snapshotId,
    manifestSha256,
    methodologyVersion,
    brands: brandsOf(documents).size,
    documents: documents.length,
    bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
