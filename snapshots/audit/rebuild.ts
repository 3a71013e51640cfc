import { join } from 'node:path';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { z } from 'zod';
import type { StoreLocation } from '../../lib/config.ts';
import { sha256 } from '../../lib/hash.ts';
import { replaceFile } from '../../lib/files/replace-file.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { isDocumentPath, snapshotPrefix } from '../layout.ts';
import { asOf, hasDocuments } from '../log/history.ts';
import type { Publication } from '../log/history.ts';
import type { Inputs, Manifest } from '../manifest.ts';
import { keysBelow, readInputs } from '../read.ts';
import { runJob } from '../run-job.ts';
import type { Entry } from '../reading/select.ts';

export interface Rebuilt {
  workspaceId: string;
  snapshotId: string;
  asOf: string;
  /**
   * `same`: every document has the published bytes, and no input was left out. `different`: documents differ, or inputs
   * were left out. `impossible`: inputs are missing or changed, or this version of the job cannot compute the snapshot.
   */
  outcome: 'same' | 'different' | 'impossible';
  documents: number;
  /** The version of the job that published it; null if there is a reason. */
  codeVersion: string | null;
  /** Paths of documents with other bytes, or that only one of the two has. */
  different: string[];
  /** Lake objects that the manifest names: those that are missing, and those with another SHA-256. */
  missingInputs: string[];
  changedInputs: string[];
  /** Lake objects that had been delivered before the publication, and that the manifest does not name. */
  leftOutInputs: string[];
  /** Keys of documents that were missing or altered, and were written again with the published bytes. */
  repaired: string[];
  /** Why it was impossible, if the inputs are not the reason; otherwise null. */
  reason: string | null;
}

export interface RebuildOptions {
  lake: StoreLocation;
  threads?: number | undefined;
  /** Write documents that are missing or altered, if they come out with the published hash. */
  repair?: boolean | undefined;
}

/** Nothing was compared. */
export function impossible(workspaceId: string, publication: Publication, reason: string | null): Rebuilt {
  return {
    workspaceId,
    snapshotId: publication.snapshotId,
    asOf: asOf(publication),
    outcome: 'impossible',
    documents: publication.documents,
    codeVersion: null,
    different: [],
    missingInputs: [],
    changedInputs: [],
    leftOutInputs: [],
    repaired: [],
    reason,
  };
}

/**
 * Computes a published snapshot again from the lake objects that its manifest names, and compares byte for byte.
 * @throws Failure if this version of the job cannot compute it, or the list of inputs cannot be read
 */
export async function rebuildSnapshot(
  store: ObjectStore,
  { manifest, publication }: Entry,
  options: RebuildOptions,
): Promise<Rebuilt> {
  await using scratch = await makeScratch('rebuild');
  const folder = scratch.path;
  const { workspaceId, codeVersion } = manifest;
  const result = { ...impossible(workspaceId, publication, null), codeVersion };
  const inputs = await readInputs(store, manifest);
  const { publishedAt } = publication;
  const recomputed = await recompute({ ...manifest, inputs, publishedAt }, folder, options);
  const { snapshotId, missing, changed, leftOut } = recomputed;
  if (snapshotId === null) return { ...result, missingInputs: missing, changedInputs: changed };
  const again = directoryStore(join(folder, 'store'));
  const found = { store: again, prefix: snapshotPrefix(workspaceId, snapshotId) };
  const compared = await compare(store, { manifest, publication }, found, options.repair === true);
  const isSame = compared.different.length === 0 && leftOut.length === 0;
  return { ...result, ...compared, outcome: isSame ? 'same' : 'different', leftOutInputs: leftOut };
}

const reportSchema = z.object({
  /** Null if inputs are missing or changed: then nothing was computed. */
  snapshotId: z.string().nullable(),
  missing: z.array(z.string()),
  changed: z.array(z.string()),
  leftOut: z.array(z.string()),
});
async function recompute(
  recipe: Omit<Manifest, 'inputs'> & { inputs: Inputs; publishedAt: string },
  folder: string,
  { lake, threads }: RebuildOptions,
): Promise<z.infer<typeof reportSchema>> {
  const file = join(folder, 'recipe.json');
  await replaceFile(file, JSON.stringify(recipe));
  const speed = threads === undefined ? [] : ['--threads', String(threads)];
  const args = ['--manifest', file, '--store', join(folder, 'store'), ...speed, '--json'];
  return await runJob('recompute', reportSchema, lake, args);
}

/** Where the documents are that were computed again. */
interface Recomputation {
  store: ObjectStore;
  prefix: string;
}

/**
 * Compares with the stored documents, and repairs these; of a withdrawn snapshot, whose documents may be gone and must not
 * come back, by the manifest's hashes.
 */
async function compare(
  store: ObjectStore,
  { manifest, publication }: Entry,
  again: Recomputation,
  isRepair: boolean,
): Promise<Pick<Rebuilt, 'different' | 'repaired'>> {
  const keys = await keysBelow(again.store, again.prefix);
  const recomputed = keys.map((key) => key.slice(again.prefix.length)).filter(isDocumentPath);
  const found: Pick<Rebuilt, 'different' | 'repaired'> = { different: [], repaired: [] };
  const listed = new Map(manifest.documents.map((document) => [document.path, document.sha256]));
  await manyAtOnce(new Set([...listed.keys(), ...recomputed]), async (path) => {
    const bytes = (await again.store.get(`${again.prefix}${path}`))?.bytes;
    if (bytes === undefined || sha256(bytes) !== listed.get(path)) found.different.push(path);
    else if (hasDocuments(publication)) {
      const key = `${snapshotPrefix(manifest.workspaceId, manifest.snapshotId)}${path}`;
      const stored = await store.get(key);
      if (stored?.bytes.equals(bytes) === true) return;
      const isRepaired = isRepair && (await store.swap(key, bytes, stored?.version ?? null));
      if (isRepaired) found.repaired.push(key);
      else found.different.push(path);
    }
  });
  return { different: found.different.toSorted(), repaired: found.repaired.toSorted() };
}
