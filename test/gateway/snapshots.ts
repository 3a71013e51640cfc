import type { Brands } from '../../lib/documents/brands.ts';
import { documentKinds } from '../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import { encodeDocument } from '../../lib/documents/encode.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import { brandInWeek } from '../../lib/methodology/week.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology/constants.ts';
import { encodeRows, encodeTable } from '../../lib/tables/encode.ts';
import { apiTables } from '../../lib/tables/names.ts';
import type { BrandInSnapshot } from '../../lib/tables/table.ts';
import { WEEK_PATH, tablePath } from '../../snapshots/layout.ts';
import type { PublishedDocument } from '../../snapshots/publish/write-snapshot.ts';
import type { CommitParts } from '../../snapshots/log/write/commit.ts';
import { goldenWeeks } from '../jobs/export/golden-weeks.ts';
import { emptyVisibility } from '../lib/documents/empty-visibility.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import { contentOfDocuments, encodeDocuments, encodeList } from '../snapshots/documents.ts';
import { publishSnapshot } from '../snapshots/publish.ts';

export const acme = {
  id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01',
  name: 'Acme',
  domain: 'https://www.acme.example/',
  createdAt: '2026-01-05T09:30:00.000Z',
};

/** Brands with ids and names that count up from 1. */
export function numberedBrands(count: number): Brands {
  return Array.from({ length: count }, (_, index) => ({
    ...acme,
    id: `0b5ef0a4-3a6e-4f0f-9c57-${String(index + 1).padStart(12, '0')}`,
    name: `Brand ${index + 1}`,
  }));
}

/** Publishes a snapshot with these brands, with the documents of the examples; without week and tables unless it is whole. */
export async function publishBrands(
  log: CommitParts,
  workspaceId: string,
  brands: Brands,
  asOf = '2026-11-16T06:00:00.000Z',
  { isWhole = false } = {},
): Promise<string> {
  const documents = brands.flatMap((brand) => encodeDocuments(brand.id, exampleDocuments(brand)));
  const given = brands.map((brand) => ({
    brand,
    methodologyVersion: METHODOLOGY_VERSION,
    documents: exampleDocuments(brand),
  }));
  const ofWorkspace = isWhole ? [encodeWeek(brands, asOf), ...encodeTables(given)] : [];
  const content = contentOfDocuments(workspaceId, asOf, [encodeList(brands), ...ofWorkspace, ...documents]);
  return (await publishSnapshot(log, content)).snapshotId;
}

function encodeWeek(brands: Brands, asOf: string): PublishedDocument {
  const data = { asOf, brands: brands.map((brand) => brandInWeek(exampleDocuments(brand))) };
  return { path: WEEK_PATH, bytes: encodeDocument('week', data) };
}

/** Every table of the API, of these brands. */
function encodeTables(given: readonly BrandInSnapshot[]): PublishedDocument[] {
  return apiTables.map((table) => ({
    path: tablePath(table),
    bytes: encodeTable(
      table,
      given.map((each) => encodeRows(table, each)),
    ),
  }));
}

/** Two brands in the order of listBrands; nothing is known of the first. */
export const brandsInTables = goldenWeeks[1]!.brands
  .map((each) => ({ ...each, methodologyVersion: '1.2' }) as BrandInSnapshot)
  .toSorted((a, b) => (a.brand.createdAt < b.brand.createdAt ? -1 : 1));

/** Publishes a snapshot with the list of brands and every table, in a workspace. @returns its id */
export async function publishTables(
  log: CommitParts,
  workspaceId: string,
  day: string,
  brands = brandsInTables,
): Promise<string> {
  const list = encodeList(brands.map(({ brand }) => brand));
  const content = contentOfDocuments(workspaceId, `${day}T06:00:00.000Z`, [list, ...encodeTables(brands)]);
  return (await publishSnapshot(log, content)).snapshotId;
}

/** Those of the examples, as if they were of this brand, but without answers of engines. */
function exampleDocuments({ id, name, domain }: Brands[number]): Pick<Documents, DocumentKind> {
  const given = { ...examples, visibility: emptyVisibility };
  const ofBrand = documentKinds.map((kind) => [kind, { ...given[kind], brand: { id, name, domain } }]);
  return Object.fromEntries(ofBrand) as Pick<Documents, DocumentKind>;
}
