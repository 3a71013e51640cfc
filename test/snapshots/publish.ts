import { join } from 'node:path';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { markLake } from '../../lib/store/lake.ts';
import { BRANDS_PATH, WEEK_PATH, documentKinds, documentPath, tablePath } from '../../snapshots/layout.ts';
import type { LogIdentity } from '../../snapshots/log/follow.ts';
import type { CommitParts } from '../../snapshots/log/write/commit.ts';
import type { DocumentKind } from '../../snapshots/layout.ts';
import { openPublisher } from '../../snapshots/publish/publisher.ts';
import type { Published } from '../../snapshots/publish/publisher.ts';
import type { SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';
import { contentOfDocuments } from './documents.ts';
import { brandIds, makeTestKeys, weeks, workspaceIds } from './history.ts';
import type { Keys } from './history.ts';

export const ORIGIN = 'sightline.example/log';

/** A store and the lake that remembers its log, for jobs and for readers. */
export interface TestLog extends CommitParts, Pick<LogIdentity, 'trust'> {
  /** Contains the folders `store` and `lake`, and the keys. */
  root: string;
  keys: Keys;
  /** Its `time` may be set. */
  clock: { time: number; now(): number };
}

/** An empty log below `root`; another one with the same `root` and keys continues it. */
export async function testLog(root: string, others: { keys?: Keys } = {}): Promise<TestLog> {
  const { keys = await makeTestKeys(root, 'own') } = others;
  const lake = directoryStore(join(root, 'lake'));
  await markLake(lake);
  return {
    root,
    store: directoryStore(join(root, 'store')),
    lake,
    origin: ORIGIN,
    keys,
    signer: keys.signer,
    trust: keys.trust,
    acceptClock: true, // weeks are published in any order
    clock: {
      time: Date.parse('2026-11-20T12:00:00Z'),
      now() {
        return this.time;
      },
    },
  };
}

/** Publishes snapshots in one commit. @throws the first error that prevented one */
export async function publishContents(
  parts: CommitParts,
  contents: readonly SnapshotContent[],
): Promise<Published[]> {
  const publisher = await openPublisher(parts);
  for (const content of contents) await publisher.add(content, () => null);
  return (await publisher.finish()).map(({ outcome }) => {
    if ('published' in outcome) return outcome.published;
    if ('withdrawn' in outcome) throw new Error(`it was withdrawn: ${outcome.withdrawn.withdrawn!.reason}`);
    throw 'error' in outcome ? outcome.error : new Error('there was an objection');
  });
}

export async function publishSnapshot(parts: CommitParts, content: SnapshotContent): Promise<Published> {
  return (await publishContents(parts, [content]))[0]!;
}

/**
 * Publishes one week of a workspace, at 7 in the morning, with documents of which each is unlike every other; returns the
 * id. The brands have the names `First` and `Second`. `fields` replace those of the content.
 */
export async function publishWeek(
  parts: CommitParts,
  workspaceId: string,
  week: string,
  fields: Partial<SnapshotContent> = {},
  kinds: readonly DocumentKind[] = documentKinds,
): Promise<string> {
  const clock = { now: () => Date.parse(`${week}T07:00:00Z`) };
  const brands = ['First', 'Second'].map((name, index) => ({ id: brandIds[index], name, workspaceId, week }));
  const bytesOf = (path: string) =>
    Buffer.from(`${JSON.stringify({ data: path === BRANDS_PATH ? brands : [workspaceId, week, path] })}\n`);
  const paths = [
    BRANDS_PATH,
    ...brandIds.flatMap((id) => kinds.map((kind) => documentPath(id, kind))),
    tablePath('visibility'),
    WEEK_PATH,
  ];
  const documents = paths.map((path) => ({ path, bytes: bytesOf(path) }));
  const content = contentOfDocuments(workspaceId, `${week}T06:00:00.000Z`, documents);
  return (await publishSnapshot({ ...parts, clock }, { ...content, ...fields })).snapshotId;
}

/** Two workspaces with four weeks each. @returns the ids of the snapshots of the first workspace, oldest first */
export async function publishHistory(parts: CommitParts): Promise<string[]> {
  const ids: string[] = [];
  for (const week of weeks) {
    ids.push(await publishWeek(parts, workspaceIds[0], week));
    await publishWeek(parts, workspaceIds[1], week);
  }
  return ids;
}
