import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pMap from 'p-map';
import { z } from 'zod';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { replaceFile } from '../../lib/files/replace-file.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { snapshotPrefix } from '../layout.ts';
import type { Inputs, Manifest } from '../manifest.ts';
import { readInputs, readManifest, readPointer } from '../read.ts';
import { READS_AT_ONCE } from '../verify/workspace/inventory.ts';
import { isPruned, readPublished } from './show.ts';

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
  /** Paths of documents with other bytes, or that only one of the two has. */
  different: string[];
  /** Lake objects that the manifest names: those that are missing, and those with another SHA-256. */
  missingInputs: string[];
  changedInputs: string[];
  /** Lake objects that had been delivered before the publication, and that the manifest does not name. */
  leftOutInputs: string[];
  /** Why it was impossible, if the inputs are not the reason; otherwise null. */
  reason: string | null;
}

export interface RebuildOptions {
  lake: StoreLocation;
  threads?: number | undefined;
}

/** Computes a published snapshot again from the lake objects that its manifest names, and compares byte for byte. */
export async function rebuildSnapshot(
  store: ObjectStore,
  manifest: Manifest,
  options: RebuildOptions,
): Promise<Rebuilt> {
  await using scratch = await makeScratch('rebuild');
  const folder = scratch.path;
  const { workspaceId, snapshotId, asOf, documents } = manifest;
  const nothing = {
    documents: documents.length,
    different: [],
    missingInputs: [],
    changedInputs: [],
    leftOutInputs: [],
    reason: null,
  };
  const result: Rebuilt = { workspaceId, snapshotId, asOf, outcome: 'impossible', ...nothing };
  const inputs = await readInputs(store, manifest);
  const recomputed = await recompute({ ...manifest, inputs }, folder, options);
  if ('reason' in recomputed) return { ...result, reason: recomputed.reason };
  const { missing, changed, leftOut } = recomputed;
  if (missing.length + changed.length > 0) {
    return { ...result, missingInputs: missing, changedInputs: changed };
  }
  const different = await compare(store, manifest, directoryStore(join(folder, 'store')));
  const isSame = different.length + leftOut.length === 0;
  return { ...result, outcome: isSame ? 'same' : 'different', different, leftOutInputs: leftOut };
}

const reportSchema = z.object({
  missing: z.array(z.string()),
  changed: z.array(z.string()),
  leftOut: z.array(z.string()),
});
type Recomputed = z.infer<typeof reportSchema> | { reason: string };

/** Runs the job as a process: this layer must not import the code that it checks. */
async function recompute(
  recipe: Omit<Manifest, 'inputs'> & { inputs: Inputs },
  folder: string,
  { lake, threads }: RebuildOptions,
): Promise<Recomputed> {
  const file = join(folder, 'recipe.json');
  await replaceFile(file, JSON.stringify(recipe));
  const job = fileURLToPath(new URL('../../jobs/cli.ts', import.meta.url));
  const place = ['--lake', lake.kind === 's3' ? lake.url : lake.path, '--store', join(folder, 'store')];
  const speed = threads === undefined ? [] : ['--threads', String(threads)];
  const child = spawn(
    process.execPath,
    ['--disable-sigusr1', job, 'recompute', '--manifest', file, ...place, ...speed, '--json'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [status, output, complaint] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  const report = reportSchema.safeParse(jsonOrNull(output));
  if (report.success) return report.data;
  if (status === 1) return { reason: complaint.trim().replace(/^sightline: /, '') };
  throw new Failure(
    `the job that recomputes ended with status ${status}: ${complaint.trim().split('\n')[0]}`,
  );
}

function jsonOrNull(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return null;
  }
}

/** Compares by the hashes in the manifest, so that pruned snapshots can be compared too. */
async function compare(
  published: ObjectStore,
  manifest: Manifest,
  recomputed: ObjectStore,
): Promise<string[]> {
  const { workspaceId } = manifest;
  const pointer = await readPointer(recomputed, workspaceId);
  if (pointer === null) throw new Failure('the job that recomputes wrote no snapshot');
  const again = await readManifest(recomputed, workspaceId, pointer);
  const prefix = snapshotPrefix(workspaceId, again.snapshotId);
  const pruned = await isPruned(published, manifest);
  const paths = new Set([...manifest.documents, ...again.documents].map(({ path }) => path));
  const differences = await pMap(
    paths,
    async (path) => {
      const listed = manifest.documents.find((document) => document.path === path);
      const object = await recomputed.get(`${prefix}${path}`);
      if (listed === undefined || object === null) return path;
      const isSame = pruned
        ? sha256(object.bytes) === listed.sha256
        : object.bytes.equals(await readPublished(published, manifest, path));
      return isSame ? null : path;
    },
    { concurrency: READS_AT_ONCE },
  );
  return differences.filter((path) => path !== null);
}
