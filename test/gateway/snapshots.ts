import type { Brands } from '../../lib/documents/brands.ts';
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
import { emptyVisibility } from '../lib/documents/empty-visibility.ts';
import { contentOfDocuments, encodeDocuments, encodeList } from '../snapshots/documents.ts';
import { publishSnapshot } from '../snapshots/publish.ts';

export const acme = {
  id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01',
  name: 'Acme',
  domain: 'https://www.acme.example/',
  createdAt: '2026-01-05T09:30:00.000Z',
};

/** Publishes a snapshot with these brands, with minimal valid documents; without week and tables unless it is whole. */
export async function publishBrands(
  log: CommitParts,
  workspaceId: string,
  brands: Brands,
  asOf = '2026-11-16T06:00:00.000Z',
  { isWhole = false } = {},
): Promise<string> {
  const documents = brands.flatMap((brand) => encodeDocuments(brand.id, emptyDocuments(brand)));
  const given = brands.map((brand) => ({
    brand,
    methodologyVersion: METHODOLOGY_VERSION,
    documents: emptyDocuments(brand),
  }));
  const ofWorkspace = isWhole ? [encodeWeek(brands, asOf), ...encodeTables(given)] : [];
  const content = contentOfDocuments(workspaceId, asOf, [encodeList(brands), ...ofWorkspace, ...documents]);
  return (await publishSnapshot(log, content)).snapshotId;
}

function encodeWeek(brands: Brands, asOf: string): PublishedDocument {
  const data = { asOf, brands: brands.map((brand) => brandInWeek(emptyDocuments(brand))) };
  return { path: WEEK_PATH, bytes: encodeDocument('week', data) };
}

/** Every table of the API, of these brands. */
export function encodeTables(given: readonly BrandInSnapshot[]): PublishedDocument[] {
  return apiTables.map((table) => ({
    path: tablePath(table),
    bytes: encodeTable(
      table,
      given.map((each) => encodeRows(table, each)),
    ),
  }));
}

function emptyDocuments({ id, name, domain }: Brands[number]): Pick<Documents, DocumentKind> {
  const brand = { id, name, domain };
  return {
    visibility: { brand, ...emptyVisibility },
    stability: { brand, minCycles: 4, prompts: [] },
    competitors: {
      brand,
      shareOfVoice: [
        {
          name,
          isBrand: true,
          mentions: 0,
          sovPct: 0,
          lowPct: 0,
          highPct: 0,
          halfWidthPp: 0,
          tiedWithBrand: false,
          tiedForLead: false,
          behindLeader: null,
          perEngine: [],
          answersNaming: 0,
          presencePct: 0,
          presenceLowPct: 0,
          presenceHighPct: 0,
        },
      ],
      totalMentions: 0,
      noiseFloorPp: 100,
      leaders: [],
      leadersByPrompt: null,
      answers: 0,
      perEngine: [],
    },
    sources: { brand, sources: [], answers: 0, answersCiting: 0, citations: 0, domains: 0, ownSite: null },
    results: { brand, prompts: [] },
    timeline: { brand, engines: [], names: [{ name, isBrand: true, engines: [] }] },
    prompts: {
      brand,
      prompts: [
        {
          id: '7d6f3f3e-8d5b-4a0e-9d57-1c8f7a5a1c02',
          text: 'Which tool is best?',
          isActive: true,
          createdAt: '2026-01-06T09:30:00.000Z',
          namesBrand: false,
          tags: [],
        },
      ],
    },
  };
}
