import { chooseWorkspace, readEntry, readPublications } from '../../../snapshots/audit/select.ts';
import type { Entry } from '../../../snapshots/audit/select.ts';
import { readData } from '../../../snapshots/audit/show.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { contentOfDocuments } from '../documents.ts';
import { withoutEvidence } from '../evidence.ts';
import { publishSnapshot } from '../publish.ts';
import type { TestLog } from '../publish.ts';

/** Newest first. */
export async function entriesOf({ store, ...identity }: TestLog): Promise<Entry[]> {
  const logged = { store, log: (await readLog(store, identity))! };
  const workspaceId = chooseWorkspace(logged, undefined);
  const { publications } = await readPublications(logged, workspaceId);
  const entries = publications.map(async (publication) => await readEntry(store, workspaceId, publication));
  return (await Promise.all(entries)).toReversed();
}

/** Publishes a snapshot's documents, changed, to another store; without `results` if `change` removes the counts. */
export async function publishAgain(
  from: TestLog,
  entry: Entry,
  to: TestLog,
  change: (document: unknown) => unknown,
): Promise<void> {
  const paths = entry.manifest.documents.map(({ path }) => path);
  const kept = paths.filter((path) => change !== withoutEvidence || !path.endsWith('/results.json'));
  const documents = await Promise.all(
    kept.map(async (path) => ({
      path,
      bytes: Buffer.from(`${JSON.stringify({ data: change(await readData(from.store, entry, path)) })}\n`),
    })),
  );
  const { workspaceId, asOf } = entry.manifest;
  await publishSnapshot(to, contentOfDocuments(workspaceId, asOf, documents));
}
