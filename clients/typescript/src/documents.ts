/** The operation that returns each document of a brand, by the document's name in paths and manifests. */
export const documentOperations = {
  visibility: 'getVisibility',
  stability: 'getStability',
  competitors: 'getCompetitors',
  sources: 'getSources',
  results: 'getResults',
  timeline: 'getTimeline',
  prompts: 'listPrompts',
} as const;

export type DocumentOperation = (typeof documentOperations)[keyof typeof documentOperations];

const operations = new Map<string | undefined, DocumentOperation>(Object.entries(documentOperations));

/** A document of a brand: `await sightline[operation](brandId)` requests it. */
export interface ChangedDocument {
  operation: DocumentOperation;
  brandId: string;
}

/** The documents of a snapshot, for the next visit. It can be stored as JSON. */
export interface Visit {
  snapshotId: string;
  /** The SHA-256 of each document, in hexadecimal, by path. */
  documents: Record<string, string>;
}

/** @param manifest its text, from a proof */
export function visitOf(snapshotId: string, manifest: string): Visit {
  const { documents } = JSON.parse(manifest) as { documents: { path: string; sha256: string }[] };
  return { snapshotId, documents: Object.fromEntries(documents.map(({ path, sha256 }) => [path, sha256])) };
}

/** The documents of brands that are new or have other bytes. Documents that this version does not know are left out. */
export function changesSince(before: Visit | null, { documents }: Visit): ChangedDocument[] {
  return Object.keys(documents).flatMap((path) => {
    const [, brandId, name] = /^brands\/([^/]+)\/(\w+)\.json$/.exec(path) ?? [];
    const operation = operations.get(name);
    if (operation === undefined || before?.documents[path] === documents[path]) return [];
    return [{ operation, brandId: brandId! }];
  });
}
