/** @module-tag slow */
import { beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../lib/failure.ts';
import { readHistory, readLog } from '../../snapshots/log/follow.ts';
import type { LogView } from '../../snapshots/log/follow.ts';
import type { Signer } from '../../snapshots/signing.ts';
import type { Operation } from '../support/interposed-store.ts';
import { adopt, continued, publish, repair, rotateTo, watched, withdrawNewest } from './log/commands.ts';
import type { Command } from './log/commands.ts';
import { expectComplete } from './log/intact.ts';
import { copyOf, newSigner, usualPlace } from './log/places.ts';
import type { Place } from './log/places.ts';

let usual: Place;
let signer: Signer;
let next: Signer;
let before: LogView;
beforeAll(async () => {
  [signer, next] = [await newSigner(), await newSigner()];
  usual = await usualPlace(signer);
  before = (await readLog(usual.store, usual))!;
});

type Named = [name: string, command: Command];

const writers: Named[] = [
  ['publish', publish(2, [0, 7])],
  ['withdraw', withdrawNewest],
  ['rotate', async (place) => await rotateTo(next)(place)],
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
  if (!isOuterDone) await outer[1](await continued(place, signer, next));
  if (!isInnerDone) await inner[1](await continued(place, signer, next));
  const published = await expectComplete(await continued(place, signer, next));
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
    for (const [, command] of commands) await command(await continued(place, signer, next));
    known.set(names, sorted(await expectComplete(await continued(place, signer, next))));
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
