import { readFile, rm } from 'node:fs/promises';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { parseInstant } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology.ts';
import { makeScratch } from '../../lib/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { brandsOf } from '../../snapshots/layout.ts';
import { manifestSchema } from '../../snapshots/manifest.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import { describeKey } from '../lake/layout.ts';
import { computeWorkspaces, openWeek } from './compute.ts';
import { passing } from './facts/scope.ts';
import type { State } from './inputs/state.ts';

export interface RecomputeReport {
  /** Null where inputs are missing or changed: then nothing was computed. */
  snapshotId: string | null;
  missing: string[];
  changed: string[];
}

/**
 * Computes again the snapshot that a manifest describes, from exactly the lake objects that it names, and writes it
 * to an empty store. The lake may have grown since: nothing else of it is looked at.
 */
export async function recompute(
  options: { lake: ObjectStore; store: ObjectStore; threads?: number | undefined },
  manifest: Manifest,
): Promise<RecomputeReport> {
  const { lake, store, threads } = options;
  if (manifest.methodologyVersion !== METHODOLOGY_VERSION) {
    throw new Failure(
      `the snapshot follows methodology ${manifest.methodologyVersion}, this version of the job ${METHODOLOGY_VERSION}`,
    );
  }
  const { missing, changed } = await compareInputs(lake, manifest);
  if (missing.length > 0 || changed.length > 0) return { snapshotId: null, missing, changed };
  const { workspaceId } = manifest;
  const asOf = parseInstant(manifest.asOf)!;
  await using week = await openWeek({ lake, state: stateOf(manifest), asOf, threads });
  if (!week.tracked.includes(workspaceId) && brandsOf(manifest.documents).size > 0) {
    throw new Failure(`workspace ${workspaceId} is not tracked in the inputs that its manifest names`);
  }
  const computed = await computeWorkspaces(week, [workspaceId], { scope: passing, full: true });
  for await (const result of computed.snapshots()) {
    if ('error' in result) throw result.error;
    const { snapshotId } = await publishSnapshot(store, result.publication);
    return { snapshotId, missing, changed };
  }
  throw new Error('a workspace was computed without a result');
}

/** @throws Failure that names the file. */
export async function readManifestFile(path: string): Promise<Manifest> {
  try {
    return manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Failure(`${path} is no manifest: ${reasonOf(error)}`, { cause: error });
  }
}

async function compareInputs(lake: ObjectStore, { inputs }: Manifest) {
  const missing: string[] = [];
  const changed: string[] = [];
  const scratch = await makeScratch('recompute');
  try {
    for (const { path, sha256 } of inputs) {
      const file = await lake.localFile(path, scratch);
      if (file === null) missing.push(path);
      else if ((await sha256OfFile(file)) !== sha256) changed.push(path);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return { missing, changed };
}

function stateOf({ inputs }: Manifest): State {
  const state: State = { tracking: {}, runs: [] };
  for (const { path: key, sha256 } of inputs) {
    const described = describeKey(key);
    if (described === null) throw new Failure(`the manifest names ${key}, which is no object of a lake`);
    if (described.kind === 'runs') state.runs.push({ key, sha256, cycleDate: described.cycleDate });
    else state.tracking[described.kind] = { key, sha256 };
  }
  return state;
}
