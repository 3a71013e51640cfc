import type { Publication, PublishedDocument } from '../../snapshots/publish/publish.ts';
import type { Week } from './compute.ts';
import { manifestCompleteness } from './checks/completeness.ts';
import type { Completeness } from './checks/completeness.ts';
import { brandsDocument } from './documents/brands/brands.ts';
import type { PublishedBrand } from './documents/brands/brands.ts';
import { brandDocuments, readDocuments } from './documents/documents.ts';
import type { BrandSource } from './documents/documents.ts';
import type { History } from './facts/history.ts';

/** The snapshot of a workspace and how many brands it has, or why it cannot be computed. */
export type WorkspaceResult = { workspaceId: string } & (
  { brands: number; publication: Publication } | { error: unknown }
);

type Opened = Pick<Week, 'connection' | 'onStep'>;

/** What all snapshots of a run have in common, and where to look up what differs. */
export interface Origin extends Omit<
  Publication,
  'workspaceId' | 'workspaceName' | 'completeness' | 'documents'
> {
  /** By workspace id, of those that are tracked. */
  names: ReadonlyMap<string, string>;
  completeness: Completeness;
}

/**
 * Snapshots one workspace after the other; all slices of the history are taken once it ends. A document that cannot be made
 * fails its workspace alone.
 */
export async function* snapshotsOf(
  week: Opened,
  history: History,
  workspaces: readonly string[],
  { names, completeness, ...origin }: Origin,
): AsyncGenerator<WorkspaceResult> {
  const all = brandsOf(week, history);
  let next = await all.next();
  for (const workspaceId of workspaces) {
    const brands: PublishedBrand[] = [];
    const documents: PublishedDocument[] = [];
    let failed: { error: unknown } | null = null;
    for (; next.done !== true && next.value.brand.workspaceId === workspaceId; next = await all.next()) {
      brands.push(next.value.brand);
      week.onStep?.('encode documents');
      try {
        documents.push(...brandDocuments(next.value));
      } catch (error) {
        failed ??= { error };
      }
    }
    if (failed !== null) yield { workspaceId, ...failed };
    else {
      const publication = {
        ...origin,
        workspaceId,
        workspaceName: names.get(workspaceId) ?? null,
        completeness: manifestCompleteness(completeness, workspaceId),
        documents: [brandsDocument(brands), ...documents],
      };
      yield { workspaceId, brands: brands.length, publication };
    }
  }
}

/** Brands in the order of publication, a slice in memory at a time. */
async function* brandsOf(week: Opened, history: History): AsyncGenerator<BrandSource> {
  for (const slice of history.slices) {
    await history.take(slice);
    if (slice.firstBrand !== null) yield* await readDocuments(week, slice);
  }
}
