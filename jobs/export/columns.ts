import type { Cell } from '../../lib/tables/names.ts';
import type { BrandInSnapshot, Column, Table } from '../../lib/tables/table.ts';
import type { ListedBrand } from './documents.ts';

type Added = Column & { cellOf: (brand: ListedBrand) => Cell };

/** What the columns of every table begin with here: the snapshot, as the log and its manifest name it. */
const ofSnapshot: readonly Added[] = [
  {
    name: 'workspace_id',
    type: 'text',
    meaning: 'UUID',
    missing: undefined,
    cellOf: ({ manifest }) => manifest.workspaceId,
  },
  {
    name: 'workspace_name',
    type: 'text',
    meaning: 'as tracked for that snapshot',
    missing: 'unknown',
    cellOf: ({ manifest }) => manifest.workspaceName,
  },
  {
    name: 'snapshot_id',
    type: 'text',
    missing: undefined,
    meaning: 'the published snapshot, as in `X-Snapshot-Id`',
    cellOf: ({ manifest }) => manifest.snapshotId,
  },
  {
    name: 'sequence',
    type: 'integer',
    missing: undefined,
    meaning: 'its number in the workspace, from 1',
    cellOf: ({ publication }) => publication.sequence,
  },
  {
    name: 'as_of',
    type: 'timestamp',
    missing: undefined,
    meaning: 'the instant that the numbers are for, UTC',
    cellOf: ({ manifest }) => manifest.asOf,
  },
];

const publishedAt: Added = {
  name: 'published_at',
  type: 'timestamp',
  missing: undefined,
  meaning: 'when the snapshot was published, UTC',
  cellOf: ({ publication }) => publication.publishedAt,
};

/** What a column says, and when it is null. */
export function meaningOf({ meaning, missing }: Column): string {
  return missing === undefined ? meaning : `${meaning}; null: ${missing}`;
}

/** The columns of a table of the export. */
export function columnsOf({ name, columns }: Table): Column[] {
  return [...ofSnapshot, ...withPublication(name, columns, publishedAt)];
}

/** The rows of a brand in a table of the export, one cell for each of {@link columnsOf}. */
export function exportedRows(table: Table, brand: ListedBrand, given: BrandInSnapshot): Cell[][] {
  const key = ofSnapshot.map(({ cellOf }) => cellOf(brand));
  const published = publishedAt.cellOf(brand);
  return table.rowsOf(given).map((row) => [...key, ...withPublication(table.name, row, published)]);
}

/** In the table of brands, the time of publication is after the brand's id, name, domain and creation. */
const PUBLISHED_AT = 4;

function withPublication<T>(table: string, cells: readonly T[], published: T): readonly T[] {
  return table === 'brands' ? cells.toSpliced(PUBLISHED_AT, 0, published) : cells;
}
