import { expect } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { readDocument, readInputs, readManifest } from '../../../snapshots/read.ts';
import { verified } from '../verify/audited.ts';
import type { Place } from './places.ts';

/** What a reader has. */
type Readable = Pick<Place, 'store' | 'origin' | 'trust'>;

/**
 * The ids of the snapshots that were published, by workspace, in order, and the hash of every document of those that are
 * not withdrawn, by snapshot and path. @throws what a reader is told if something is not as it was published
 */
export async function readAll(place: Readable) {
  const { store } = place;
  const published = new Map<string, string[]>();
  const documents = new Map<string, string>();
  const view = await readLog(store, place);
  for (const workspaceId of view?.heads.keys() ?? []) {
    const { publications } = (await readHistory(store, view!, workspaceId))!;
    published.set(
      workspaceId,
      publications.map(({ snapshotId }) => snapshotId),
    );
    for (const publication of publications) {
      if (publication.withdrawn !== null && publication.withdrawn.reason !== 'mistaken') continue;
      const manifest = await readManifest(store, workspaceId, publication);
      await readInputs(store, manifest);
      for (const document of manifest.documents) {
        const bytes = await readDocument(store, manifest, document);
        documents.set(`${workspaceId} ${publication.snapshotId} ${document.path}`, sha256(bytes));
      }
    }
  }
  return { view, published, documents };
}

/**
 * Asserts that readers find everything that the log of a place names, and that it verifies.
 * @returns the ids of the snapshots that were published, by workspace, in order, and the notes
 */
export async function expectIntact(place: Readable) {
  const { view, published } = await readAll(place);
  const { problems, notes } = view === null ? { problems: [], notes: [] } : await verified(place);
  expect(problems).toEqual([]);
  return { published, notes };
}

/** The keys of objects that contain a signature, apart from the only ones that may. */
function signedKeys({ objects }: Place): string[] {
  const signed = [...objects.store, ...objects.lake].filter(([, bytes]) => bytes.includes('\u2014 '));
  const mayBe = /^log\/checkpoint$|^log\/[0-9a-f]{64}\/committed\.json$/;
  return signed.map(([key]) => key).filter((key) => !mayBe.test(key));
}

/** As {@link expectIntact}; the store also shows all that is committed, and nothing else is signed. */
export async function expectComplete(place: Place): ReturnType<typeof expectIntact> {
  const committed = (await readCommitted(place.lake, place.origin))!;
  expect((await readCheckpoint(place.store))!.note.text).toBe(committed.checkpoint.note.text);
  expect(signedKeys(place)).toEqual([]);
  return await expectIntact(place);
}
