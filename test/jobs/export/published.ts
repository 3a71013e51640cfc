import type { Brands } from '../../../lib/documents/brands.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { BRANDS_PATH, documentPath } from '../../../snapshots/layout.ts';
import type { LoggedStore } from '../../../snapshots/reading/select.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { contentOfDocuments } from '../../snapshots/documents.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';

export const workspaceId = '6dc5cc01-e5c0-4398-a442-a3d03067609d';

export interface GivenBrand {
  brand: Brands[number];
  /** Some may be missing, and so may fields, as in snapshots of older versions. */
  documents: { [Kind in DocumentKind]?: Partial<Documents[Kind]> };
}

export interface GivenWeek {
  asOf: string;
  workspaceName: string | null;
  brands: GivenBrand[];
}

/** Publishes weeks, oldest first, an hour after their as-of time each; nothing is validated. @returns the snapshots' ids */
export async function publishWeeks(parts: TestLog, weeks: readonly GivenWeek[]): Promise<string[]> {
  const published: string[] = [];
  for (const week of weeks) {
    const documents = week.brands.flatMap((given) =>
      Object.entries(given.documents).map(([kind, data]) =>
        encode(documentPath(given.brand.id, kind as DocumentKind), data),
      ),
    );
    const list = encode(
      BRANDS_PATH,
      week.brands.map(({ brand }) => brand),
    );
    const content = {
      ...contentOfDocuments(workspaceId, week.asOf, [list, ...documents]),
      workspaceName: week.workspaceName,
      methodologyVersion: '1.2',
    };
    const clock = { now: () => Date.parse(week.asOf) + 3_600_000 };
    published.push((await publishSnapshot({ ...parts, clock }, content)).snapshotId);
  }
  return published;
}

/** What `export` reads. */
export async function readPublished(parts: TestLog): Promise<LoggedStore> {
  return { store: parts.store, log: (await readLog(parts.store, parts))! };
}

function encode(path: string, data: unknown) {
  return { path, bytes: Buffer.from(`${JSON.stringify({ data })}\n`) };
}
