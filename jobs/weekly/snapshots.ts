import type { Publication, PublishedDocument } from '../../snapshots/publish.ts';
import type { Database } from '../duckdb.ts';
import { manifestCompleteness } from './completeness.ts';
import type { Completeness } from './completeness.ts';
import { brandDocuments, brandsDocument } from './documents.ts';
import { openBrands } from './open-brands.ts';
import type { BrandRow } from './rows.ts';
import type { StabilityThreads } from './stability-threads.ts';

/** The snapshot of a workspace and how many brands it has, or why it cannot be computed. */
export type WorkspaceResult = { workspaceId: string } & (
  { brands: number; publication: Publication } | { error: unknown }
);

/**
 * Snapshots one workspace after the other, from the tables that all others have filled. A document that cannot be made
 * fails its workspace alone.
 */
export async function* snapshotsOf(
  database: Database,
  stability: StabilityThreads,
  workspaces: readonly string[],
  origin: Omit<Publication, 'workspaceId' | 'documents'>,
  completeness: Completeness,
): AsyncGenerator<WorkspaceResult> {
  using opened = await openBrands(database);
  let next = await opened.next();
  for (const workspaceId of workspaces) {
    const brands: BrandRow[] = [];
    const documents: Promise<PublishedDocument[]>[] = [];
    try {
      for (; next !== null && next.brand.workspace_id === workspaceId; next = await opened.next()) {
        brands.push(next.brand);
        const made = brandDocuments(next, stability);
        made.catch(() => undefined); // reported below
        documents.push(made);
      }
    } finally {
      await Promise.allSettled(documents); // a stream that fails must not leave documents under way
    }
    const made = await Promise.all(documents).catch((error: unknown) => ({ error }));
    if ('error' in made) yield { workspaceId, ...made };
    else {
      const publication = {
        ...origin,
        workspaceId,
        completeness: manifestCompleteness(completeness, workspaceId),
        documents: [brandsDocument(brands), ...made.flat()],
      };
      yield { workspaceId, brands: brands.length, publication };
    }
  }
}
