/** @module-tag slow */
import { beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { commitToLog, rotateLog } from '../../../snapshots/log/write/commit.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { healFrom, repairLog } from '../../../snapshots/recover/repair.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Interposed, Operation } from '../../support/interposed-store.ts';
import { kindsOf } from '../verify/audited.ts';
import { expectComplete, expectIntact } from './intact.ts';
import { copyOf, newSigner, placeOf, publishAll, usualPlace, withdraw, workspaceOf } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let next: Signer;
let usual: Place;
beforeAll(async () => {
  [signer, next] = [await newSigner(), await newSigner()];
  usual = await usualPlace(signer);
});

/** What an operator or a job runs; each may be run again after it was killed. */
type Command = (place: Place) => Promise<unknown>;

const publish =
  (week: number, workspaces: readonly number[]): Command =>
  (place) =>
    publishAll(place, week, workspaces);
const withdrawNewest: Command = (place) => withdraw(place, 0);
const repair: Command = (place) => repairLog(place);
const adopt: Command = (place) => adoptLog(place, []);
/** Rotates to the next key; completes the log if that was done. */
const rotate: Command = async (place) => {
  const isRotated = (await readCommitted(place.lake, place.origin))?.signer === next.fingerprint;
  if (isRotated) await commitToLog({ ...place, signer: next }, () => Promise.resolve({ drafts: [] }));
  else await rotateLog(place, next);
};

/** The same place, whose operations are counted together. */
function watched(place: Place, hooks: Interposed): Place {
  return { ...place, store: interposedStore(place.store, hooks), lake: interposedStore(place.lake, hooks) };
}

/** A place with the key that signs the next commit, and readers that trust both keys. */
async function continued(place: Place): Promise<Place> {
  const committed = await readCommitted(place.lake, place.origin);
  const by = committed?.signer === next.fingerprint ? next : signer;
  return { ...place, signer: by, trust: new Map([...signer.trust, ...next.trust]) };
}

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

/** What is killed, in what place, and what runs next: by default the same again. */
const cases: [string, Command, () => Place, Command?][] = [
  ['the first publication', publish(0, [0, 1]), () => placeOf(signer)],
  ['a publication', publish(2, [0, 7]), asUsual],
  ['a publication, before another', publish(2, [0]), asUsual, publish(3, [1])],
  ['a publication, before a withdrawal', publish(2, [0]), asUsual, withdrawNewest],
  ['a publication, before a rotation', publish(2, [0]), asUsual, rotate],
  ['a publication, before a repair', publish(2, [0]), asUsual, repair],
  ['a withdrawal', withdrawNewest, asUsual],
  ['a prune', prune, asUsual],
  ['the removal of a workspace', remove, asUsual],
  ['a rotation', rotate, asUsual],
  ['a repair', repairFromCopy, damaged],
  ['the adoption of a log', adopt, withoutLake],
];

/** The steps of these are those of the others, but for what they are killed in front of. */
const long = /before|prune|adoption/;

for (const isLong of [false, true])
  test.each(cases.filter(([name]) => long.test(name) === isLong))(
    '%s that is killed at any of its writes leaves a whole log, and the next run completes it',
    { tags: isLong ? ['long'] : [] },
    async (name, command, before, following = command) => {
      let deaths = 0;
      const left = new Set<string>();
      for (const moment of ['before', 'after'] as const) {
        for (let last = 1, isDead = true; isDead; last += 1) {
          const place = before();
          isDead = await diesAt(place, command, moment, last);
          if (isDead) deaths += 1;
          const now = async () => await continued(place);
          // A repair begins with what is damaged.
          if (name !== 'a repair')
            for (const kind of kindsOf((await expectIntact(await now())).notes)) left.add(kind);
          await following(await now());
          const { notes } = await expectComplete(await now());
          expect(kindsOf(notes)).not.toContain('deletion_unfinished');
          // The same command uses what it wrote before; heads and histories are of another moment.
          const unnamed = notes
            .filter(({ kind }) => kind === 'unpublished')
            .flatMap(({ objects }) => objects);
          const unused = following === command ? unnamed.filter((key) => key.includes('/snapshots/')) : [];
          expect(unused).toEqual([]);
          await publishAll(await now(), 5, [0, 9]);
        }
      }
      expect(deaths).toBeGreaterThan(2);
      expect(left.has('deletion_unfinished')).toBe(/prune|removal/.test(name));
    },
  );

type Named = [name: string, command: Command];

const writers: Named[] = [
  ['publish', publish(2, [0, 7])],
  ['withdraw', withdrawNewest],
  ['rotate', rotate],
  ['log complete --from-store', adopt],
];
/** What completes a log that is complete changes nothing for the others. */
const completes: Named = ['log complete', repair];
const anotherWeek: Named = ['publish another week', publish(3, [0, 1])];

/** A reader that knows the log before, and one that starts. */
const reader: Named = [
  'a reader',
  async ({ store, origin }) => {
    const trust = new Map([...signer.trust, ...next.trust]);
    const before = (await readLog(usual.store, { origin, trust }))!;
    for (const known of [before, null]) {
      const view = (await readLog(store, { origin, trust }, known))!;
      for (const workspaceId of view.heads.keys()) await readHistory(store, view, workspaceId);
    }
  },
];

/**
 * Why a command may refuse to do its work while another one runs: `rotate` gave the log another key; the others ask to be
 * run again. `--from-store` is for a lake that lost what it knew.
 */
const otherKey =
  /^the log is signed with the key .* "audit rotate" changes that$|says that another key signs now/;
const again = /changed by another commit meanwhile; try again$|without --from-store writes the others$/;

/** True if it was done, false if it was refused for a reason that the other command gives. */
async function isDone(work: Promise<unknown>, other: string): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    const isAllowed = (message: string) =>
      again.test(message) || (other === 'rotate' && otherKey.test(message));
    if (!(error instanceof Failure && isAllowed(error.message))) throw error;
    return false;
  }
}

/** Runs one command, and another one completely after its step number `held`. False if it has fewer steps. */
async function runInside(outer: Named, inner: Named, held: number): Promise<boolean> {
  const place = copyOf(usual);
  let steps = 0;
  let isInnerDone = true;
  const after = async ({ method, key }: Operation) => {
    steps += 1;
    if (steps !== held) return;
    isInnerDone = await isDone(inner[1](place), outer[0]).catch((cause: unknown) => {
      throw new Error(`${inner[0]} failed, after ${method} ${key}: ${String(cause)}`, { cause });
    });
  };
  const isOuterDone = await isDone(outer[1](watched(place, { after })), inner[0]);
  // A command that was refused had not begun, and does its work when it is run again.
  if (!isOuterDone) await outer[1](await continued(place));
  if (!isInnerDone) await inner[1](await continued(place));
  const { published } = await expectComplete(await continued(place));
  for (const ids of published.values()) expect(new Set(ids).size).toBe(ids.length);
  expect(sorted(published)).toEqual(await expectedOf(steps >= held ? [outer, inner] : [outer]));
  return steps >= held;
}

const sorted = (published: ReadonlyMap<string, string[]>) =>
  new Map([...published].map(([id, ids]) => [id, ids.toSorted()]));

const known = new Map<string, Map<string, string[]>>();

/** What is published if one command runs after the other, by workspace. */
async function expectedOf(commands: readonly Named[]): Promise<Map<string, string[]>> {
  const names = commands.map(([name]) => name).join(', then ');
  if (!known.has(names)) {
    const place = copyOf(usual);
    for (const [, command] of commands) await command(await continued(place));
    known.set(names, sorted((await expectComplete(await continued(place))).published));
  }
  return known.get(names)!;
}

const pairsOf = (outers: readonly Named[], inners: readonly Named[]) =>
  outers.flatMap((outer) => inners.map((inner) => ({ outer, inner, one: outer[0], other: inner[0] })));

describe('two commands at once', () => {
  test.each([
    ...pairsOf([...writers, completes], [...writers, anotherWeek, reader]),
    ...pairsOf([reader], writers),
  ])(
    '$one is not disturbed, nor does it disturb $other that runs after any of its steps',
    async ({ outer, inner }) => {
      let held = 1;
      while (await runInside(outer, inner, held)) held += 1;
      expect(held).toBeGreaterThan(1);
    },
  );
});
