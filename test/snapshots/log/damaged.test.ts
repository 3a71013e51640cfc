import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { CHECKPOINT_KEY, INPUTS, committedKey } from '../../../snapshots/layout.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { ORIGIN } from '../publish.ts';
import { verified } from '../verify/audited.ts';
import { usualPlace } from './commands.ts';
import { workspaceOf } from './entries.ts';
import { expectComplete } from './intact.ts';
import { copyOf, newSigner, publishAll } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let usual: Place;
let place: Place;
beforeAll(async () => {
  signer = await newSigner();
  usual = await usualPlace(signer);
});
beforeEach(() => {
  place = copyOf(usual);
});

const checkpointIn = ({ objects }: Place) => objects.store.get(CHECKPOINT_KEY)!;

test('a checkpoint of another name is not touched in a store that has nothing of this log', async () => {
  const text = checkpointIn(place).toString();
  place.objects.store.set(CHECKPOINT_KEY, Buffer.from(text.replace('sightline', 'sigitline')));
  for (const key of place.objects.store.keys())
    if (key.startsWith('workspaces/')) place.objects.store.delete(key);
  const before = copyOf(place).objects;
  await expect(repairLog(place)).rejects.toThrow(/has the log sigitline\..*, and LOG_ORIGIN is/);
  expect(place.objects).toEqual(before);
});

test('whatever the lake remembers of the log may be altered: log complete --from-store', async () => {
  const keys = [...place.objects.lake.keys()].filter((key) => key.startsWith('log/'));
  expect(keys).toContain(committedKey(ORIGIN));
  for (const key of keys) {
    const copy = copyOf(place);
    copy.objects.lake.set(key, Buffer.from('altered'));
    await adoptLog(copy, []);
    await publishAll(copy, 2, [0]);
    await repairLog(copy);
    await expectComplete(copy);
  }
});

test('a retired key cannot adopt the log, although it signed the checkpoint of the rotation', async () => {
  const next = await newSigner();
  await rotateLog(place, next);
  await expect(adoptLog(place, [])).rejects.toThrow(/another key signs now/);
  expect((await adoptLog({ ...place, signer: next }, [])).size).toBe(
    (await readCheckpoint(place.store))!.size,
  );
});

function loseInputs(): void {
  for (const key of place.objects.store.keys()) if (key.startsWith(INPUTS)) place.objects.store.delete(key);
}

describe('a list of inputs that is gone', () => {
  test('is a problem of the workspaces that name it, and a snapshot without it can be withdrawn as lost', async () => {
    loseInputs();
    const { problems } = await verified(place);
    expect(problems.map(({ kind, workspaceId }) => [kind, workspaceId])).toEqual(
      [0, 1, 2].map((workspace) => ['named_missing', workspaceOf(workspace)]),
    );
    for (const workspace of [0, 1, 2])
      await withdrawSnapshots(place, { workspaceId: workspaceOf(workspace), which: 'lost', reason: 'lost' });
    expect((await verified(place)).problems).toEqual([]);
    await repairLog(place);
    expect((await verified(place)).problems).toEqual([]);
  });
});

test('a tile beyond the head, left by a killed commit or a thief, does not stop a publication', async () => {
  const next = copyOf(place);
  await publishAll(next, 2, [0]);
  const created = [...next.objects.store.keys()].filter(
    (key) => key.startsWith('log/tile/') && !place.objects.store.has(key),
  );
  for (const key of created) place.objects.store.set(key, Buffer.from('of a thief'));
  expect(created.length).toBeGreaterThan(0);
  await publishAll(place, 2, [0]);
  await expectComplete(place);
});

function refuseDeletion({ method }: { method: string }): void {
  if (method === 'delete') throw new Failure('access denied');
}

test('a store that refuses deletions is published to, week after week', async () => {
  const locked = {
    ...place,
    store: interposedStore(place.store, { before: refuseDeletion }),
    lake: interposedStore(place.lake, { before: refuseDeletion }),
  };
  const later = { ...locked, clock: { now: () => place.clock.now() + 2 * 86_400_000 } };
  await publishAll(later, 2, [0, 1]);
  await publishAll(later, 3, [0, 1]);
  await expectComplete(place);
});
