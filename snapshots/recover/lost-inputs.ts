import { z } from 'zod';
import type { StoreLocation } from '../../lib/config.ts';
import { counted } from '../../lib/weeks/names.ts';
import { handleDamage } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import type { Fold } from '../log/fold.ts';
import type { Manifest } from '../manifest.ts';
import { readInputs, readManifest } from '../read.ts';
import { runJob } from '../run-job.ts';

/** What a lake does not have of that from which the snapshots in service were computed. */
export interface LostInputs {
  /** Keys of lake objects, in order. */
  objects: string[];
  /** How many snapshots cannot be computed again without them. */
  snapshots: number;
}

const listSchema = z.object({ objects: z.array(z.string()) });

/** The objects that the ledger of a lake names and that are there; what removals replaced counts as there. */
export async function objectsIn(lake: StoreLocation): Promise<ReadonlySet<string>> {
  return new Set((await runJob('objects', listSchema, lake)).objects);
}

/**
 * Compares the inputs of all snapshots that are not withdrawn with a lake. (A pruned one has no documents that a rebuild
 * could bring back.) A manifest or a list of inputs that the store has lost is left out; `audit verify` reports it.
 */
export async function findLostInputs(
  store: ObjectStore,
  { histories }: Pick<Fold, 'histories'>,
  objects: ReadonlySet<string>,
): Promise<LostInputs> {
  const found = { objects: new Set<string>(), snapshots: 0 };
  const lists = new Map<string, Promise<string[]>>();
  // The workspaces of a run share a list.
  const lostOf = async (manifest: Manifest) =>
    await lists.getOrInsertComputed(manifest.inputs, async () => await readLost(store, manifest, objects));
  const standing = [...histories.values()].flatMap(({ workspaceId, publications }) =>
    publications.filter(({ withdrawn }) => withdrawn === null).map((link) => ({ workspaceId, link })),
  );
  await manyAtOnce(standing, async ({ workspaceId, link }) => {
    const lost = await handleDamage(
      async () => await lostOf(await readManifest(store, workspaceId, link)),
      () => [],
    );
    if (lost.length > 0) found.snapshots += 1;
    for (const key of lost) found.objects.add(key);
  });
  return { objects: [...found.objects].toSorted(), snapshots: found.snapshots };
}

async function readLost(store: ObjectStore, manifest: Manifest, objects: ReadonlySet<string>) {
  const inputs = await readInputs(store, manifest);
  return inputs.map(({ path }) => path).filter((path) => !objects.has(path));
}

const LISTED = 10;

/** One line for each of the first lost objects, and one for the others. */
export function linesOf({ objects }: LostInputs): string[] {
  const others = objects.slice(LISTED);
  return [...objects.slice(0, LISTED), ...(others.length === 0 ? [] : [`and ${others.length} more`])];
}

/** How much is lost. @param lake for the message */
export function sentenceOf({ objects, snapshots }: LostInputs, lake: string): string {
  const were = snapshots === 1 ? 'was' : 'were';
  return `${lake} does not have ${counted(objects.length, 'object')} that ${counted(snapshots, 'snapshot')} ${were} computed from`;
}
