import type { Publication, PublishedDocument } from '../../snapshots/publish.ts';
import type { Database } from '../duckdb.ts';
import type { Completeness } from './completeness.ts';
import { brandDocuments, brandsDocument } from './documents.ts';
import { openBrands } from './open-brands.ts';
import type { BrandRow } from './rows.ts';
import type { StabilityThreads } from './stability-threads.ts';

/** The snapshot of a workspace, and how many brands it has. */
export interface WorkspaceSnapshot {
  brands: number;
  publication: Publication;
}

/** Snapshots one workspace after the other, from the tables that all others have filled. */
export async function* snapshotsOf(
  database: Database,
  stability: StabilityThreads,
  workspaces: readonly string[],
  origin: Omit<Publication, 'workspaceId' | 'documents'>,
  { byWorkspace }: Completeness,
): AsyncGenerator<WorkspaceSnapshot> {
  const opened = await openBrands(database);
  try {
    let next = await opened.next();
    for (const workspaceId of workspaces) {
      const brands: BrandRow[] = [];
      const documents: Promise<PublishedDocument[]>[] = [];
      for (; next !== null && next.brand.workspace_id === workspaceId; next = await opened.next()) {
        brands.push(next.brand);
        const made = brandDocuments(next, stability);
        made.catch(() => undefined); // told below, unless something else goes wrong before
        documents.push(made);
      }
      const completeness = byWorkspace.get(workspaceId) ?? null;
      const publication = {
        ...origin,
        workspaceId,
        completeness,
        documents: [brandsDocument(brands), ...(await Promise.all(documents)).flat()],
      };
      yield { brands: brands.length, publication };
    }
  } finally {
    opened.close();
  }
}
