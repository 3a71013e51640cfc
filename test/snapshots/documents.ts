import { encodeDocument } from '../../lib/documents/encode.ts';
import { documentKinds } from '../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import { BRANDS_PATH, documentPath } from '../../snapshots/layout.ts';
import type { PublishedDocument, SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';

/** A snapshot of documents that no job computed. `documents` are by path, encoded. */
export function contentOfDocuments(
  workspaceId: string,
  asOf: string,
  documents: readonly PublishedDocument[],
): SnapshotContent {
  const versions = { methodologyVersion: '1.0', codeVersion: 'test', duckdbVersion: 'none' };
  return { workspaceId, asOf, ...versions, inputs: [], documents };
}

/** Encodes the documents of one brand. @throws Failure if one is invalid */
export function encodeDocuments(
  brandId: string,
  documents: Pick<Documents, DocumentKind>,
): PublishedDocument[] {
  return documentKinds.map((kind) => ({
    path: documentPath(brandId, kind),
    bytes: encodeDocument(kind, documents[kind]),
  }));
}

/** Encodes the list of a workspace's brands. @throws Failure if it is invalid */
export function encodeList(brands: Documents['brands']): PublishedDocument {
  return { path: BRANDS_PATH, bytes: encodeDocument('brands', brands) };
}
