import { documentKinds, encodeDocument } from '../../lib/documents/index.ts';
import type { DocumentKind, Documents } from '../../lib/documents/index.ts';
import { formatInstant } from '../../lib/instant.ts';
import { BRANDS_PATH, documentPath } from '../../snapshots/layout.ts';
import type { PublishedDocument } from '../../snapshots/publish.ts';
import { competitorsOf } from './competitors.ts';
import type { BrandRow, BrandRows } from './rows.ts';
import type { StabilityThreads } from './stability-threads.ts';
import { visibilityOf } from './visibility.ts';

/** Stability documents are written in a thread of their own (stability-threads.ts). */
type OtherKind = Exclude<DocumentKind, 'stability'>;
type BrandDocuments = { [Kind in OtherKind]: (rows: BrandRows) => Omit<Documents[Kind], 'brand'> };

const documentsOf: BrandDocuments = {
  visibility: visibilityOf,
  competitors: competitorsOf,
  sources: ({ sources }) => ({
    sources: sources.map((row) => ({
      domain: row.domain,
      count: row.count,
      sourceType: row.source_type,
      competitorMentions: row.competitor_mentions,
      brandMentions: row.brand_mentions,
      gap: row.competitor_mentions - row.brand_mentions,
      isOwnDomain: row.is_own_domain,
    })),
  }),
  prompts: ({ prompts }) => ({
    prompts: prompts.map(({ id, text, is_active: isActive, created_at }) => ({
      id,
      text,
      isActive,
      createdAt: formatInstant(created_at),
    })),
  }),
};

/** All documents of a brand, whole. @throws Failure that names what is unsound. */
export async function brandDocuments(
  rows: BrandRows,
  stability: StabilityThreads,
): Promise<PublishedDocument[]> {
  const { id, name, domain } = rows.brand;
  const others = documentKinds.flatMap((kind) => {
    if (kind === 'stability') return [];
    const data = { brand: { id, name, domain }, ...documentsOf[kind](rows) };
    return [{ path: documentPath(id, kind), bytes: encodeDocument(kind, data) }];
  });
  const stabilityRows = {
    brand: { id, name, domain },
    prompts: rows.prompts.flatMap((prompt) =>
      prompt.is_active ? [{ id: prompt.id, text: prompt.text }] : [],
    ),
    competitors: rows.competitors.map((competitor) => ({ id: competitor.id })),
  };
  return [...others, { path: documentPath(id, 'stability'), bytes: await stability.document(stabilityRows) }];
}

/** The brand list of a workspace, oldest first (spec 2.1). */
export function brandsDocument(brands: readonly BrandRow[]): PublishedDocument {
  const data = brands.map(({ id, name, domain, created_at }) => ({
    id,
    name,
    domain,
    createdAt: formatInstant(created_at),
  }));
  return { path: BRANDS_PATH, bytes: encodeDocument('brands', data) };
}
