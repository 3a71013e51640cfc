/** @module-tag long */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentService } from '../../gateway/documents/documents.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { listSnapshots } from '../../snapshots/audit/list.ts';
import { BRANDS_PATH } from '../../snapshots/layout.ts';
import { appendToLog } from '../../snapshots/log/append.ts';
import { publishedHistories } from '../../snapshots/log/histories.ts';
import { pruneSnapshots } from '../../snapshots/prune/prune.ts';
import { publishSnapshot } from '../../snapshots/publish/publish.ts';
import { verifyStore } from '../../snapshots/verify/verify.ts';
import { findIn } from '../gateway/documents/document-service.ts';
import { temporaryFolders } from '../support/folder.ts';
import { interposedStore } from '../support/interposed-store.ts';
import type { Operation } from '../support/interposed-store.ts';
import { copyStore, makeTestKeys } from './history.ts';
import type { Keys } from './history.ts';
import { ORIGIN } from './log/histories.ts';
import { publicationOf, workspaceId } from './publication.ts';

const newFolder = temporaryFolders();
const newWorkspaceId = '018f2b6e-0000-7000-8000-000000000002';

let root: string;
let keys: Keys;

interface Place {
  store: ObjectStore;
  lake: ObjectStore;
}

/** Rejects if it fails, or reports anything that an operator would look into. */
type Command = (place: Place) => Promise<void>;

const publish =
  (week: number, ofWorkspace = workspaceId): Command =>
  async ({ store, lake }) => {
    const publication = publicationOf(week, { workspaceId: ofWorkspace });
    const clock = { now: () => Date.parse(publication.asOf) };
    const { isNew } = await publishSnapshot(store, publication, { signer: keys.signer, heads: lake, clock });
    expect(isNew).toBe(true);
  };

const append: Command = async ({ store, lake }) => {
  const { signer, trust } = keys;
  const histories = () => publishedHistories(store, trust);
  const { refused } = await appendToLog({ store, lake, origin: ORIGIN, signer, trust, histories });
  expect(refused).toEqual([]);
};

const prune: Command = async ({ store }) => {
  const { signer, trust } = keys;
  const now = Date.UTC(2026, 10, 20);
  await pruneSnapshots(store, { keep: [{ newest: 1 }], signer, trust, now, isDryRun: false });
};

const verify: Command = async ({ store }) => {
  const { problems } = await verifyStore(store, { trust: keys.trust });
  expect(problems).toEqual([]);
};

const list: Command = async ({ store }) => {
  const { broken } = await listSnapshots(store, { trust: keys.trust });
  expect(broken).toEqual([]);
};

const serve: Command = async ({ store }) => {
  const observer = {
    cacheHit: () => undefined,
    cacheMiss: () => undefined,
    snapshotKept: (_id: string, reason: unknown) => expect.unreachable(String(reason)),
    snapshotChanged: () => undefined,
  };
  const service = documentService(store, {
    cacheBytes: 1e6,
    refreshSeconds: 3600,
    trust: keys.trust,
    observer,
  });
  expect(await findIn(service, BRANDS_PATH, workspaceId)).not.toBeNull();
  // Between its manifest and its pointer, the first snapshot looks like one whose pointer was lost.
  await findIn(service, BRANDS_PATH, newWorkspaceId).then(
    (found) => expect(found).not.toBeNull(),
    (error: unknown) => expect(String(error)).toMatch(/, but no pointer/),
  );
  service.close();
};

beforeAll(async () => {
  root = await newFolder();
  keys = await makeTestKeys(root, 'own');
  const place = placeIn(join(root, 'before'));
  for (const week of [0, 1]) await publish(week)(place);
  await append(place);
  await publish(2)(place);
});

function placeIn(folder: string): Place {
  return { store: directoryStore(join(folder, 'store')), lake: directoryStore(join(folder, 'lake')) };
}

/** Runs one command, and another one completely after its step number `held`. False if it has fewer steps. */
async function runInside(outer: Command, inner: Command, held: number): Promise<boolean> {
  const folder = join(await newFolder(), 'place');
  await copyStore(join(root, 'before'), folder);
  const place = placeIn(folder);
  let steps = 0;
  const after = async ({ method, key }: Operation) => {
    steps += 1;
    if (steps !== held) return;
    await inner(place).catch((cause: unknown) => {
      throw new Error(`the inner command failed, after ${method} ${key}`, { cause });
    });
  };
  const watched = (store: ObjectStore) => interposedStore(store, { after });
  await outer({ store: watched(place.store), lake: watched(place.lake) });
  await verify(place);
  return steps >= held;
}

const writers: [string, Command][] = [
  ['publish', publish(3)],
  ['publish (the first of a workspace)', publish(3, newWorkspaceId)],
  ['log append', append],
  ['prune', prune],
];
const readers: [string, Command][] = [
  ['verify', verify],
  ['list', list],
  ['a gateway', serve],
];
const pairsOf = (outer: typeof writers, inner: typeof writers) =>
  outer.flatMap(([a, one]) => inner.filter(([b]) => a !== b).map(([b, two]) => [a, b, one, two] as const));

describe('two commands at once', () => {
  test.each([...pairsOf(writers, [...writers, ...readers]), ...pairsOf(readers, writers)])(
    '%s is not disturbed, nor does it disturb %s that runs after any of its steps',
    async (_outer, _inner, outer, inner) => {
      let held = 1;
      while (await runInside(outer, inner, held)) held += 1;
      expect(held).toBeGreaterThan(1);
    },
  );
});
