import pMap from 'p-map';
import type { Brands } from '../../lib/documents/brands.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readEntry } from '../../snapshots/reading/select.ts';
import type { Entry } from '../../snapshots/reading/select.ts';
import { readData } from '../../snapshots/reading/documents.ts';
import { BRANDS_PATH, documentAt } from '../../snapshots/layout.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { readDocument } from '../../snapshots/read.ts';

/** A brand in a snapshot. */
export interface ListedBrand extends Entry {
  brand: Brands[number];
  /** Its place in the list of brands, from 0. */
  place: number;
}

/** A brand with the texts of its documents. */
export interface PublishedBrand extends ListedBrand {
  documents: Partial<Record<DocumentKind, string>>;
}

/** The documents of each are read at once too. */
const BRANDS_AT_ONCE = 3;
const BATCH_BYTES = 8 << 20;

/**
 * The brands of some snapshots with their documents, in order, in batches: some 8 MiB of documents at a time,
 * whatever the size of a snapshot.
 * @param kinds the documents to read
 * @param brandIds only these brands; all if absent
 * @throws Failure at the first object that is missing or is not what the log names.
 */
export async function* readBatches(
  store: ObjectStore,
  workspaceId: string,
  snapshots: readonly Publication[],
  kinds: ReadonlySet<DocumentKind>,
  brandIds?: readonly string[],
): AsyncGenerator<PublishedBrand[]> {
  for (const snapshot of snapshots) {
    const entry = await readEntry(store, workspaceId, snapshot);
    const documents = Map.groupBy(entry.manifest.documents, ({ path }) => documentAt(path).brandId);
    const wantedOf = (id: string) =>
      (documents.get(id) ?? []).filter(({ path }) => kinds.has(documentAt(path).name as DocumentKind));
    const brands = await readData<Brands>(store, entry, BRANDS_PATH);
    const read = async (listed: ListedBrand) => await readBrand(store, listed, wantedOf(listed.brand.id));
    let batch: ListedBrand[] = [];
    let bytes = 0;
    for (const [place, brand] of brands.entries()) {
      if (brandIds?.includes(brand.id) === false) continue;
      batch.push({ ...entry, brand, place });
      for (const document of wantedOf(brand.id)) bytes += document.bytes;
      if (bytes < BATCH_BYTES) continue;
      yield await pMap(batch, read, { concurrency: BRANDS_AT_ONCE });
      [batch, bytes] = [[], 0];
    }
    yield await pMap(batch, read, { concurrency: BRANDS_AT_ONCE });
  }
}

async function readBrand(
  store: ObjectStore,
  listed: ListedBrand,
  documents: Manifest['documents'],
): Promise<PublishedBrand> {
  const texts = await pMap(documents, async (document) => {
    const bytes = await readDocument(store, listed.manifest, document);
    return [documentAt(document.path).name, bytes.toString('utf8')] as const;
  });
  return { ...listed, documents: Object.fromEntries(texts) };
}
