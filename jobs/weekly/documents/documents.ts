import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import { documentPath } from '../../../snapshots/layout.ts';
import type { PublishedDocument } from '../../../snapshots/publish/write-snapshot.ts';
import type { Week } from '../week.ts';
import type { Slice } from '../slices/slices.ts';
import { readDeviations } from '../checks/engine-shifts.ts';
import type { Deviation } from '../checks/engine-shifts.ts';
import { publishedBrands } from './brands/brands.ts';
import type { PublishedBrand } from './brands/brands.ts';
import { competitors } from './competitors/competitors.ts';
import type { DocumentSource, Encoder } from './document.ts';
import { prompts } from './prompts/prompts.ts';
import { results } from './results/results.ts';
import { sources } from './sources/sources.ts';
import { stability } from './stability/stability.ts';
import { timeline } from './timeline/timeline.ts';
import { visibility } from './visibility/visibility.ts';

const documentSources: Record<DocumentKind, DocumentSource> = {
  visibility,
  stability,
  competitors,
  sources,
  results,
  timeline,
  prompts,
};

/** A brand with what was read for its documents. */
export interface BrandSource {
  brand: PublishedBrand;
  encoders: readonly [DocumentKind, Encoder][];
  deviations: readonly Deviation[];
}

/** Reads the brands of a slice, in the order of publication. */
export async function readDocuments({ connection, asOf }: Week, slice: Slice): Promise<BrandSource[]> {
  const encoders: [DocumentKind, Encoder][] = [];
  for (const kind of documentKinds) {
    encoders.push([kind, await documentSources[kind](connection, slice, asOf)]);
  }
  const deviations = await readDeviations(connection);
  const brands = await publishedBrands(connection, slice);
  return brands.map((brand) => ({ brand, encoders, deviations: deviations(brand.brandNo) }));
}

/** All documents of a brand, whole. @throws Failure that names what is unsound. */
export function brandDocuments({ brand, encoders }: BrandSource): PublishedDocument[] {
  const { brandNo, id, name, domain } = brand;
  return encoders.map(([kind, encode]) => ({
    path: documentPath(id, kind),
    bytes: encode(brandNo, { id, name, domain }),
  }));
}
