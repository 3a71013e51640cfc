import { encodeRows, encodeTable } from '../../lib/tables/encode.ts';
import { apiTables } from '../../lib/tables/names.ts';
import { tablePath } from '../../snapshots/layout.ts';
import type { CommitParts } from '../../snapshots/log/write/commit.ts';
import { goldenWeeks } from '../jobs/export/golden-weeks.ts';
import { contentOfDocuments, encodeList } from '../snapshots/documents.ts';
import { publishSnapshot } from '../snapshots/publish.ts';
import { workspaceId } from './gateway.ts';

type Given = Parameters<typeof encodeRows>[1];

/** Two brands in the order of listBrands; nothing is known of the first. */
export const brandsInTables = goldenWeeks[1]!.brands
  .map((each) => ({ ...each, methodologyVersion: '1.2' }) as Given)
  .toSorted((a, b) => (a.brand.createdAt < b.brand.createdAt ? -1 : 1));

/** Publishes a snapshot with the list of brands and every table. @returns its id */
export async function publishTables(log: CommitParts, day: string, brands = brandsInTables): Promise<string> {
  const tables = apiTables.map((table) => ({
    path: tablePath(table),
    bytes: encodeTable(
      table,
      brands.map((each) => encodeRows(table, each)),
    ),
  }));
  const list = encodeList(brands.map(({ brand }) => brand));
  const content = contentOfDocuments(workspaceId, `${day}T06:00:00.000Z`, [list, ...tables]);
  return (await publishSnapshot(log, content)).snapshotId;
}
