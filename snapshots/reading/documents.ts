import { Failure } from '../../lib/failure.ts';
import type { Brands } from '../../lib/documents/brands.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH } from '../layout.ts';
import { readDocument } from '../read.ts';
import { hasDocuments } from '../log/history.ts';
import type { Entry } from './select.ts';

/** The bytes of a document. @throws Failure if there is no such document, it is gone, or its hash does not match. */
export async function readPublished(
  store: ObjectStore,
  { publication, manifest }: Entry,
  path: string,
): Promise<Buffer> {
  const { snapshotId } = manifest;
  const document = manifest.documents.find((candidate) => candidate.path === path);
  if (document === undefined) throw new Failure(`snapshot ${snapshotId} has no document ${path}`);
  if (!hasDocuments(publication))
    throw new Failure(
      `the documents of snapshot ${snapshotId} were withdrawn: ${publication.withdrawn!.reason}`,
    );
  return await readDocument(store, manifest, document);
}

/** The `data` of a published document. @throws Failure as {@link readPublished} */
export async function readData<T>(store: ObjectStore, entry: Entry, path: string): Promise<T> {
  const bytes = await readPublished(store, entry, path);
  return (JSON.parse(bytes.toString('utf8')) as { data: T }).data;
}

/** The ids of the brands with these ids or names. @throws Failure as {@link findBrand} */
export async function findBrands(
  store: ObjectStore,
  entry: Entry,
  wanted: readonly string[],
): Promise<string[]> {
  return await Promise.all(wanted.map(async (name) => await findBrand(store, entry, name)));
}

/**
 * The id of the brand with that id or name; not needed if the snapshot has one brand.
 * @throws Failure if there is none, or more than one.
 */
export async function findBrand(
  store: ObjectStore,
  entry: Entry,
  wanted: string | undefined,
): Promise<string> {
  const brands = await readData<Brands>(store, entry, BRANDS_PATH);
  const found = brands.filter(
    ({ id, name }) => wanted === undefined || id === wanted.toLowerCase() || name === wanted,
  );
  if (found.length === 1) return found[0]!.id;
  const names = brands.map(({ name, id }) => `${name} (${id})`).join(', ');
  throw new Failure(
    wanted === undefined
      ? `name one of the ${brands.length} brands with --brand: ${names}`
      : `${found.length === 0 ? 'no brand' : 'more than one brand'} of the snapshot matches ${wanted}: ${names}`,
  );
}
