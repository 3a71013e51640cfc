import { BRANDS_PATH, documentKinds, documentPath } from '../../snapshots/layout.ts';
import type { SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';

export const workspaceId = '018f2b6e-0000-7000-8000-000000000001';

/** A snapshot as of `week` weeks after the first, of small documents that say which week they are of. */
export function contentOf(
  week: number,
  others: Partial<SnapshotContent> & { brands?: number } = {},
): SnapshotContent {
  const { brands = 1, ...fields } = others;
  const asOf = new Date(Date.UTC(2026, 0, 5, 6) + week * 7 * 86_400_000).toISOString();
  const bytesOf = (path: string) => Buffer.from(`{"data":{"week":${week},"path":"${path}"}}`);
  const ids = Array.from(
    { length: brands },
    (_, n) => `018f2b6e-1111-7000-8000-${String(n).padStart(12, '0')}`,
  );
  const paths = ids.flatMap((id) => documentKinds.map((kind) => documentPath(id, kind)));
  return {
    workspaceId,
    asOf,
    methodologyVersion: '1',
    codeVersion: '1.0.0',
    duckdbVersion: 'v1',
    inputs: [],
    documents: [BRANDS_PATH, ...paths].map((path) => ({ path, bytes: bytesOf(path) })),
    ...fields,
  };
}
