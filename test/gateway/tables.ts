import type { BrandInSnapshot } from '../../lib/tables/table.ts';
import type { CommitParts } from '../../snapshots/log/write/commit.ts';
import { goldenWeeks } from '../jobs/export/golden-weeks.ts';
import { contentOfDocuments, encodeList } from '../snapshots/documents.ts';
import { publishSnapshot } from '../snapshots/publish.ts';
import { workspaceId } from './gateway.ts';
import { encodeTables } from './snapshots.ts';

/** Two brands in the order of listBrands; nothing is known of the first. */
export const brandsInTables = goldenWeeks[1]!.brands
  .map((each) => ({ ...each, methodologyVersion: '1.2' }) as BrandInSnapshot)
  .toSorted((a, b) => (a.brand.createdAt < b.brand.createdAt ? -1 : 1));

/** Publishes a snapshot with the list of brands and every table. @returns its id */
export async function publishTables(log: CommitParts, day: string, brands = brandsInTables): Promise<string> {
  const list = encodeList(brands.map(({ brand }) => brand));
  const content = contentOfDocuments(workspaceId, `${day}T06:00:00.000Z`, [list, ...encodeTables(brands)]);
  return (await publishSnapshot(log, content)).snapshotId;
}
