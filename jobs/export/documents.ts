import pMap from 'p-map';
import type { Brands } from '../../lib/documents/brands.ts';
import { documentKinds } from '../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readEntry } from '../../snapshots/audit/select.ts';
import { BRANDS_PATH, brandsOf, documentPath } from '../../snapshots/layout.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { readDocument } from '../../snapshots/read.ts';

/** A brand in a snapshot, with the texts of its documents. */
export interface PublishedBrand {
  publication: Publication;
  manifest: Manifest;
  brand: Brands[number];
  /** Its place in the list of brands, from 0. */
  place: number;
  documents: Partial<Record<DocumentKind, string>>;
}

/**
 * The brands of some snapshots with all their documents, in order, in batches: some 8 MiB of documents at a time,
 * whatever the size of a snapshot.
 * @param brandIds only these brands; all if absent
 * @throws Failure at the first object that is missing or is not what the log names.
 */
export async function* readBatches(
  store: ObjectStore,
  workspaceId: string,
  snapshots: readonly Publication[],
  brandIds?: readonly string[],
): AsyncGenerator<PublishedBrand[]> {
  for (const snapshot of snapshots) {
    const { manifest } = await readEntry(store, workspaceId, snapshot);
    const listed = new Map(manifest.documents.map((document) => [document.path, document]));
    const brands = await readBrands(store, manifest, listed);
    const placed = brands
      .map((brand, place) => ({ brand, place }))
      .filter(({ brand }) => brandIds?.includes(brand.id) ?? true);
    for (const batch of batchesOf(placed, listed)) {
      const read = async ({ brand, place }: Placed): Promise<PublishedBrand> => {
        const found = documentKinds.flatMap((kind) => {
          const document = listed.get(documentPath(brand.id, kind));
          return document === undefined ? [] : [{ kind, document }];
        });
        const texts = await pMap(found, async ({ kind, document }) => {
          const bytes = await readDocument(store, manifest, document);
          return [kind, bytes.toString('utf8')] as const;
        });
        return { publication: snapshot, manifest, brand, place, documents: Object.fromEntries(texts) };
      };
      yield await pMap(batch, read, { concurrency: BRANDS_AT_ONCE });
    }
  }
}

type Listed = ReadonlyMap<string, Manifest['documents'][number]>;
interface Placed {
  brand: Brands[number];
  place: number;
}

/** @throws Failure where the list of brands and the documents do not belong together. */
async function readBrands(store: ObjectStore, manifest: Manifest, listed: Listed): Promise<Brands> {
  const document = listed.get(BRANDS_PATH);
  if (document === undefined) throw new Failure(`snapshot ${manifest.snapshotId} has no ${BRANDS_PATH}`);
  const bytes = await readDocument(store, manifest, document);
  const { data } = JSON.parse(bytes.toString('utf8')) as { data: Brands };
  const known = new Set(data.map(({ id }) => id));
  const unknown = [...brandsOf(manifest.documents)].find((id) => !known.has(id));
  if (unknown === undefined) return data;
  throw new Failure(
    `snapshot ${manifest.snapshotId} has documents of brand ${unknown}, but does not list it`,
  );
}

/** Each has up to six documents, which are read at once too. */
const BRANDS_AT_ONCE = 3;

const BATCH_BYTES = 8 << 20;

function* batchesOf(brands: readonly Placed[], listed: Listed): Generator<Placed[]> {
  let batch: Placed[] = [];
  let bytes = 0;
  for (const each of brands) {
    batch.push(each);
    for (const kind of documentKinds) bytes += listed.get(documentPath(each.brand.id, kind))?.bytes ?? 0;
    if (bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
