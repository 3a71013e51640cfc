import type { Brands } from '../../../lib/documents/brands.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { BRANDS_PATH, documentPath } from '../../../snapshots/layout.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { publicationOfDocuments } from '../../snapshots/documents.ts';

export const workspaceId = '6dc5cc01-e5c0-4398-a442-a3d03067609d';

export interface GivenBrand {
  brand: Brands[number];
  /** Some may be missing, and so may fields, as in snapshots of older versions. */
  documents: { [Kind in DocumentKind]?: Partial<Documents[Kind]> };
}

export interface GivenWeek {
  asOf: string;
  workspaceName: string | null;
  brands: GivenBrand[];
}

export interface PublishedWeek extends GivenWeek {
  snapshotId: string;
  sequence: number;
  publishedAt: string;
}

/** Publishes weeks, oldest first, an hour after their as-of time each; nothing is validated. */
export async function publishWeeks(
  store: ObjectStore,
  weeks: readonly GivenWeek[],
  signer?: Signer,
): Promise<PublishedWeek[]> {
  const published: PublishedWeek[] = [];
  for (const [index, week] of weeks.entries()) {
    const publishedAt = new Date(Date.parse(week.asOf) + 3_600_000).toISOString();
    const documents = week.brands.flatMap((given) =>
      Object.entries(given.documents).map(([kind, data]) =>
        encode(documentPath(given.brand.id, kind as DocumentKind), data),
      ),
    );
    const list = encode(
      BRANDS_PATH,
      week.brands.map(({ brand }) => brand),
    );
    const publication = {
      ...publicationOfDocuments(workspaceId, week.asOf, [list, ...documents]),
      workspaceName: week.workspaceName,
      methodologyVersion: '1.2',
    };
    const clock = { now: () => Date.parse(publishedAt) };
    const { snapshotId } = await publishSnapshot(store, publication, { signer, trust: null, clock });
    published.push({ ...week, snapshotId, sequence: index + 1, publishedAt });
  }
  return published;
}

function encode(path: string, data: unknown) {
  return { path, bytes: Buffer.from(`${JSON.stringify({ data })}\n`) };
}
