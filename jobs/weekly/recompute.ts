import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import { sha256OfFile } from '../../lib/hash.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology/constants.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { describeSnapshot, writeSnapshot } from '../../snapshots/publish/write-snapshot.ts';
import type { SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';
import { newestOf, objectsOf, readRecorded } from '../lake/ledger.ts';
import { objectKey } from '../lake/delivery.ts';
import type { Delivery, LakeObject, LedgerEntry } from '../lake/delivery.ts';
import { exchangeReplaced } from '../lake/removals.ts';
import { computeWorkspaces } from './compute.ts';
import { openWeek } from './week.ts';
import type { Week } from './week.ts';
import { currentInputs } from './current-inputs.ts';
import type { CurrentInput } from './current-inputs.ts';
import { findOwnRuns } from './inputs/own-runs.ts';
import { inputsOf, runBrandsOf, stateAsOf } from './inputs/state.ts';
import type { State } from './inputs/state.ts';

/** What a published snapshot was made from, as its manifest, its list of inputs and the log say. */
const recipeSchema = z.object({
  workspaceId: z.string(),
  asOf: z.string(),
  publishedAt: z.string(),
  methodologyVersion: z.string(),
  codeVersion: z.string(),
  completeness: z.object({ newestCycle: z.string() }).nullable(),
  inputs: z.array(z.object({ path: objectKey, sha256: z.string() })),
});
export type Recipe = z.infer<typeof recipeSchema>;

export interface RecomputeReport {
  /** Null if inputs are missing or changed: then nothing was computed. */
  snapshotId: string | null;
  manifestSha256: string | null;
  missing: string[];
  changed: string[];
  /** Lake objects that were in the ledger then, and that the snapshot was not made from. */
  leftOut: string[];
}

/**
 * Computes again the snapshot that a manifest describes, from exactly the lake objects that it names, and writes it
 * to an empty store. It reads nothing else from the lake, which may have grown since. Objects that the removal of another
 * workspace replaced are read from their replacements; the new manifest names those of before too.
 * @throws Failure if the workspace itself was removed from the lake
 */
export async function recompute(
  options: { lake: ObjectStore; store: ObjectStore; threads?: number | undefined },
  recipe: Recipe,
): Promise<RecomputeReport> {
  const { lake, store, threads } = options;
  if (recipe.methodologyVersion !== METHODOLOGY_VERSION) {
    throw new Failure(
      `the snapshot follows methodology ${recipe.methodologyVersion}, this version of the job ${METHODOLOGY_VERSION}: release ${recipe.codeVersion} computes it`,
    );
  }
  const recorded = await readRecorded(lake);
  const ledger = exchangeReplaced(recorded);
  const inputs = currentInputs(recorded, ledger, recipe);
  const { missing, changed } = await compareInputs(lake, inputs);
  if (missing.length > 0 || changed.length > 0)
    return { snapshotId: null, manifestSha256: null, missing, changed, leftOut: [] };
  const { workspaceId } = recipe;
  const asOf = parseInstant(recipe.asOf)!;
  await using week = await openWeek({ lake, state: stateOf(ledger, inputs, recipe), asOf, threads });
  const computed = await computeWorkspaces(week, [workspaceId]);
  const result = (await Array.fromAsync(computed.snapshots))[0]!;
  if ('error' in result) throw result.error;
  const described = describeSnapshot({
    ...result.publication,
    inputs: asRecorded(result.publication, inputs),
  });
  await writeSnapshot(store, described, result.publication.documents);
  const { manifest, manifestSha256 } = described;
  const due = await inputsDue(week, ledger, { ...recipe, inputs });
  const used = keysOf(inputs);
  const leftOut = due.filter((key) => !used.has(key));
  return { snapshotId: manifest.snapshotId, manifestSha256, missing, changed, leftOut };
}

/** @throws Failure that names a file which does not describe a snapshot. */
export async function readRecipe(path: string): Promise<Recipe> {
  return decodeJson(await readFile(path), recipeSchema, path, 'does not describe a snapshot');
}

async function compareInputs(lake: ObjectStore, inputs: readonly CurrentInput[]) {
  const missing: string[] = [];
  const changed: string[] = [];
  await using scratch = await makeScratch('recompute');
  for (const { key, sha256 } of inputs.flatMap(({ now }) => now ?? [])) {
    const file = await lake.localFile(key, scratch.path);
    if (file === null) missing.push(key);
    else if ((await sha256OfFile(file)) !== sha256) changed.push(key);
  }
  return { missing, changed };
}

/** The objects that a snapshot was computed from, as its manifest names them. */
function asRecorded({ inputs: read }: SnapshotContent, inputs: readonly CurrentInput[]) {
  const keys = new Set(read.map(({ path }) => path));
  return inputs
    .filter(({ now }) => now === null || keys.has(now.key))
    .map(({ path, sha256 }) => ({ path, sha256 }));
}

/** The most that may pass between reading the ledger and the last publication of a week. */
const LONGEST_WEEK_MS = 60 * 60 * 1000;

/**
 * The objects that the snapshot had to be made from: tracking, run objects of the workspace, and those of all workspaces that
 * are of a later cycle than the newest that the manifest names. They are of the deliveries that the week surely found: those
 * up to the last one of which it used something, or that came long enough before the publication.
 */
async function inputsDue(
  week: Week,
  ledger: readonly LedgerEntry[],
  {
    inputs,
    workspaceId,
    publishedAt,
    completeness,
  }: Omit<Recipe, 'inputs'> & { inputs: readonly CurrentInput[] },
): Promise<string[]> {
  const used = keysOf(inputs);
  const began = Date.parse(publishedAt) - LONGEST_WEEK_MS;
  const last = ledger.findLastIndex(
    (entry) => Date.parse(entry.receivedAt) <= began || objectsOf(entry).some(({ key }) => used.has(key)),
  );
  const state = stateAsOf(week.lake, ledger.slice(0, last + 1), week.asOf);
  const own = await findOwnRuns(week.connection, { ...week, state });
  const ofWorkspace = new Set(own.of(workspaceId));
  const newest = completeness?.newestCycle ?? '';
  const runs = state.runs.filter(
    (run) => ofWorkspace.has(run) || (run.cycleDate > newest && BigInt(run.ranFrom) <= week.asOf),
  );
  return inputsOf(state.tracking, runs).map(({ path }) => path);
}

function keysOf(inputs: readonly CurrentInput[]): Set<string> {
  return new Set(inputs.flatMap(({ now }) => now?.key ?? []));
}

/** @throws Failure that names an input which no delivery has. */
function stateOf(
  ledger: readonly Delivery[],
  inputs: readonly CurrentInput[],
  { completeness }: Recipe,
): State {
  const named = keysOf(inputs);
  const isNamed = ({ key }: LakeObject) => named.has(key);
  const tracking = ledger.flatMap((delivery) => delivery.tracking).filter(isNamed);
  const runs = ledger.flatMap((delivery) => delivery.runs).filter(isNamed);
  const [unknown] = named.difference(new Set([...tracking, ...runs].map(({ key }) => key)));
  if (unknown !== undefined) throw new Failure(`the manifest names ${unknown}, which no delivery has`);
  const newestCycle = completeness?.newestCycle ?? null;
  return { tracking: newestOf(tracking), runs, runBrands: runBrandsOf(ledger), newestCycle, future: [] };
}
