import { Failure } from '../../lib/failure.ts';
import type { DocumentName } from '../../lib/documents/kinds.ts';
import type { Brands } from '../../lib/documents/brands.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH, documentPath, tombstoneKey } from '../layout.ts';
import type { Manifest } from '../manifest.ts';
import { readDocument } from '../read.ts';

/** The bytes of a document. @throws Failure if there is no such document, it was pruned, or its hash does not match. */
export async function readPublished(store: ObjectStore, manifest: Manifest, path: string): Promise<Buffer> {
  const { snapshotId } = manifest;
  const document = manifest.documents.find((candidate) => candidate.path === path);
  if (document === undefined) throw new Failure(`snapshot ${snapshotId} has no document ${path}`);
  try {
    return await readDocument(store, manifest, document);
  } catch (error) {
    if (!(await isPruned(store, manifest))) throw error;
    throw new Failure(`the documents of snapshot ${snapshotId} were pruned`, { cause: error });
  }
}

/** True if a snapshot was pruned: its documents were removed on purpose. */
export async function isPruned(
  store: ObjectStore,
  { workspaceId, snapshotId }: Pick<Manifest, 'workspaceId' | 'snapshotId'>,
): Promise<boolean> {
  return (await store.get(tombstoneKey(workspaceId, snapshotId))) !== null;
}

/** The `data` of a published document. @throws Failure as {@link readPublished} */
export async function readData<T>(store: ObjectStore, manifest: Manifest, path: string): Promise<T> {
  const bytes = await readPublished(store, manifest, path);
  return (JSON.parse(bytes.toString('utf8')) as { data: T }).data;
}

/**
 * The path of a document.
 * @param brand an id or a name; not needed for the list of brands, or if the snapshot has one brand
 * @throws Failure if no brand, or more than one, matches.
 */
export async function findDocument(
  store: ObjectStore,
  manifest: Manifest,
  document: DocumentName,
  brand: string | undefined,
): Promise<string> {
  if (document === 'brands') return BRANDS_PATH;
  return documentPath(await findBrand(store, manifest, brand), document);
}

/** The ids of the brands with these ids or names. @throws Failure as {@link findBrand} */
export async function findBrands(
  store: ObjectStore,
  manifest: Manifest,
  wanted: readonly string[],
): Promise<string[]> {
  return await Promise.all(wanted.map(async (name) => await findBrand(store, manifest, name)));
}

/** The id of the brand with that id or name. @throws Failure if there is none, or more than one. */
export async function findBrand(
  store: ObjectStore,
  manifest: Manifest,
  wanted: string | undefined,
): Promise<string> {
  const brands = await readData<Brands>(store, manifest, BRANDS_PATH);
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
