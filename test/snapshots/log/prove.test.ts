import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { decodeEntry } from '../../../snapshots/log/entries.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { proveSnapshot } from '../../../snapshots/log/prove.ts';
import { decodeBase64 } from '../../../snapshots/log/notes/note.ts';
import { isIncluded, leafHash } from '../../../snapshots/log/tree/merkle.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { workspaceOf } from './entries.ts';
import { newSigner, placeOf, publishAll } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
beforeAll(async () => {
  signer = await newSigner();
});

/** Proves every snapshot of some workspaces, and verifies each proof. @returns how many there were */
async function proveAll(place: Place, workspaces: readonly number[]): Promise<number> {
  const view = (await readLog(place.store, place))!;
  let proved = 0;
  for (const workspaceId of workspaces.map(workspaceOf)) {
    const { publications } = (await readHistory(place.store, view, workspaceId))!;
    for (const publication of publications) {
      const proof = await proveSnapshot(place.store, view.checkpoint, workspaceId, publication);
      const { manifestSha256, snapshotId } = publication;
      expect(sha256(proof.manifest)).toBe(manifestSha256);
      const [head = ''] = proof.inclusionProof.split('\n\n');
      const [, , index = '', ...hashes] = head.split('\n');
      const number = Number(index.replace('index ', ''));
      const named = { kind: 'published', workspaceId, snapshotId, manifestSha256 };
      expect(decodeEntry(Buffer.from(proof.entry), number)).toMatchObject(named);
      const siblings = hashes.map((hash) => decodeBase64(hash)!);
      expect(isIncluded(leafHash(Buffer.from(proof.entry)), number, view.checkpoint, siblings)).toBe(true);
      expect(proof.inclusionProof.endsWith(`\n\n${proof.checkpoint}`)).toBe(true);
      proved += 1;
    }
  }
  return proved;
}

const range = (count: number) => Array.from({ length: count }, (_, number) => number);

describe('a proof', () => {
  test('exists for each snapshot that the log names, whatever was published at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(200)), { minLength: 1, maxLength: 3 }),
        async (sizes) => {
          const place = placeOf(signer);
          const clock = { now: () => Date.UTC(2026, 10, 16) + (sizes.length % 2) };
          for (const [week, count] of sizes.entries())
            await publishAll({ ...place, clock }, week, range(count));
          expect(await proveAll(place, [0])).toBe(sizes.length);
        },
      ),
      { numRuns: 4 },
    );
  });

  test('names no other workspace, and costs few reads of a long log', async () => {
    const place = placeOf(signer);
    for (const week of range(4)) await publishAll(place, week, range(150));
    const view = (await readLog(place.store, place))!;
    const id = workspaceOf(123);
    const history = (await readHistory(place.store, view, id))!;
    let reads = 0;
    const store = { ...place.store, get: (key: string) => ((reads += 1), place.store.get(key)) };
    const proof = await proveSnapshot(store, view.checkpoint, id, history.publications[2]!);
    expect(reads).toBeLessThan(15);
    for (const other of [122, 124, 0]) expect(JSON.stringify(proof)).not.toContain(workspaceOf(other));
    const unknown = { ...history.publications[2]!, manifestSha256: history.publications[1]!.manifestSha256 };
    await expect(proveSnapshot(store, view.checkpoint, id, unknown)).rejects.toThrow(
      /is missing|has no entry of/,
    );
  });
});
