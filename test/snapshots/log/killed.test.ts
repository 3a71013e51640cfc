/** @module-tag slow */
import { beforeAll, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { healFrom } from '../../../snapshots/recover/repair.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import type { Operation } from '../../support/interposed-store.ts';
import { kindsOf, verified } from '../verify/audited.ts';
import { adopt, continued, publish, repair, rotateTo, watched, withdrawNewest } from './commands.ts';
import type { Command } from './commands.ts';
import { expectComplete, expectIntact } from './intact.ts';
import { copyOf, newSigner, placeOf, publishAll, usualPlace, workspaceOf } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let next: Signer;
let usual: Place;
beforeAll(async () => {
  [signer, next] = [await newSigner(), await newSigner()];
  usual = await usualPlace(signer);
});

const isWrite = (method: string) => ['create', 'swap', 'delete'].includes(method);

/** Runs a command that dies at its write number `last`, before or after it. False if it has fewer writes. */
async function diesAt(
  place: Place,
  command: Command,
  moment: 'before' | 'after',
  last: number,
): Promise<boolean> {
  const died = new Error('died');
  let writes = 0;
  let isDead = false;
  const die = ({ method }: Operation) => {
    if (isWrite(method)) writes += 1;
    isDead ||= isWrite(method) && writes === last;
    if (isDead) throw died;
  };
  const before = () => {
    if (isDead) throw died;
  };
  const dying = watched(place, { before, [moment]: die });
  const outcome: unknown = await command(dying).catch((error: unknown) => error);
  expect(outcome instanceof Error ? outcome : null).toBe(isDead ? died : null);
  return isDead;
}

/** Of the workspace with two weeks, the older one. */
const prune: Command = async (place) =>
  await pruneSnapshots(place, { workspaceId: workspaceOf(0), keep: [{ newest: 1 }], isDryRun: false });

/** Of the first workspace, everything. */
const remove: Command = async (place) =>
  await withdrawSnapshots(place, { workspaceId: workspaceOf(0), which: 'all', reason: 'removed' });

/** Without a tile, a history and the heads, and with another manifest. */
function damaged(): Place {
  const place = copyOf(usual);
  const { store } = place.objects;
  const keys = [...store.keys()];
  for (const part of ['log/tile/0/', '/histories/', 'heads/'])
    for (const key of keys.filter((each) => each.includes(part))) store.delete(key);
  for (const key of keys.filter((each) => each.endsWith('.manifest.json'))) store.set(key, Buffer.from('x'));
  return place;
}

/** Of the log from the lake, of the rest from a copy of the store. */
async function repairFromCopy(place: Place): Promise<void> {
  await repair(place);
  await healFrom(place, usual.store);
}

const withoutLake = () => placeOf(signer, { store: new Map(usual.objects.store), lake: new Map() });
const asUsual = () => copyOf(usual);

const cases: [string, () => Command, () => Place][] = [
  ['the first publication', () => publish(0, [0, 1]), () => placeOf(signer)],
  ['a publication', () => publish(2, [0, 7]), asUsual],
  ['a withdrawal', () => withdrawNewest, asUsual],
  ['a prune', () => prune, asUsual],
  ['the removal of a workspace', () => remove, asUsual],
  ['a rotation', () => rotateTo(next), asUsual],
  ['a repair', () => repairFromCopy, damaged],
  ['the adoption of a log', () => adopt, withoutLake],
];

test.each(cases)(
  '%s that is killed at any of its writes leaves a whole log, and the next run completes it',
  async (name, command, before) => {
    let deaths = 0;
    const left = new Set<string>();
    for (const moment of ['before', 'after'] as const) {
      for (let last = 1, isDead = true; isDead; last += 1) {
        const place = before();
        isDead = await diesAt(place, command(), moment, last);
        if (isDead) deaths += 1;
        const now = async () => await continued(place, signer, next);
        // A repair begins with what is damaged.
        if (name !== 'a repair') await expectIntact(await now());
        for (const kind of kindsOf((await verified(await now())).notes)) left.add(kind);
        await command()(await now());
        await expectComplete(await now());
        expect(kindsOf((await verified(await now())).notes)).not.toContain('deletion_unfinished');
        await publishAll(await now(), 5, [0, 9]);
        expect((await expectComplete(await now())).get(workspaceOf(9))).toHaveLength(1);
      }
    }
    expect(deaths).toBeGreaterThan(2);
    expect(left.has('deletion_unfinished')).toBe(/prune|removal/.test(name));
  },
);

const isCommit = ({ method, key }: Operation) => method === 'swap' && key.endsWith('committed.json');

test('a publication that was killed is completed by the next command, whatever that is', async () => {
  for (const other of [publish(3, [1]), withdrawNewest, rotateTo(next), repair]) {
    const place = copyOf(usual);
    const die = (operation: Operation) => {
      if (isCommit(operation)) throw new Error('died');
    };
    await expect(publish(2, [0])(watched(place, { after: die }))).rejects.toThrow('died');
    const shown = place.objects.store.get(CHECKPOINT_KEY)!;
    expect(shown).toEqual(usual.objects.store.get(CHECKPOINT_KEY));
    await other(place);
    const published = await expectComplete(await continued(place, signer, next));
    expect(published.get(workspaceOf(0))).toHaveLength(3);
  }
});
