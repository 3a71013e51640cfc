/** @module-tag slow */
import { beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../lib/failure.ts';
import { readHistory, readLog } from '../../snapshots/log/follow.ts';
import type { LogView } from '../../snapshots/log/follow.ts';
import { readCommitted } from '../../snapshots/log/write/committed.ts';
import type { Signer } from '../../snapshots/signing.ts';
import type { Operation } from '../support/interposed-store.ts';
import { adopt, publish, repair, rotateTo, usualPlace, watched, withdrawNewest } from './log/commands.ts';
import type { Command } from './log/commands.ts';
import { expectComplete } from './log/intact.ts';
import { copyOf, newSigner } from './log/places.ts';
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

const rotate: Command = async (place) => await rotateTo(next)(place);

/** A reader that knows the log before, and one that starts. */
const read: Command = async ({ store, origin }) => {
  const trust = new Map([...signer.trust, ...next.trust]);
  for (const known of [before, null]) {
    const view = (await readLog(store, { origin, trust }, known))!;
    for (const workspaceId of view.heads.keys()) await readHistory(store, view, workspaceId);
  }
};

const writers: [string, Command][] = [
  ['publish', publish(2, [0, 7])],
  ['withdraw', withdrawNewest],
  ['rotate', rotate],
  ['log complete', repair],
  ['log complete --from-store', adopt],
];
const anotherWeek: [string, Command] = ['publish another week', publish(3, [0, 1])];
const reader: [string, Command] = ['a reader', read];

/**
 * Why a command may refuse to do its work while another one runs. `rotate`: the job has the old key. The others
 * ask to be run again.
 */
const refusals: Partial<Record<string, RegExp>> = {
  rotate: /^the log is signed with the key .* "audit rotate" changes that$|says that another key signs now/,
};
/** `--from-store` is for a lake that lost what it knew. */
const again = /changed by another commit meanwhile; try again$|without --from-store writes the others$/;

/** True if it was done, false if it was refused for a reason that the other command gives. */
async function isDone(work: Promise<unknown>, other: string): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    const allowed = [again, ...(refusals[other] === undefined ? [] : [refusals[other]])];
    const isAllowed = error instanceof Failure && allowed.some((each) => each.test(error.message));
    if (!isAllowed) throw error;
    return false;
  }
}

interface Round {
  outer: [string, Command];
  inner: [string, Command];
}

/** Runs one command, and another one completely after its step number `held`. False if it has fewer steps. */
async function runInside({ outer, inner }: Round, held: number): Promise<boolean> {
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
  // Whoever was refused had not begun, and does its work when it is run again.
  for (const [, command] of [isOuterDone ? null : outer, isInnerDone ? null : inner].filter(
    (each) => each !== null,
  ))
    await command(await withCurrentKey(place));
  const published = await expectComplete(trusting(place));
  for (const ids of published.values()) expect(new Set(ids).size).toBe(ids.length);
  const expected = await expectedOf(steps >= held ? [outer, inner] : [outer]);
  expect(new Map([...published].map(([id, ids]) => [id, ids.toSorted()]))).toEqual(expected);
  return steps >= held;
}

function trusting(place: Place): Place {
  return { ...place, trust: new Map([...signer.trust, ...next.trust]) };
}

async function withCurrentKey(place: Place): Promise<Place> {
  const { signer: current } = (await readCommitted(place.lake, place.origin))!;
  return { ...place, signer: current === next.fingerprint ? next : signer };
}

const known = new Map<string, Map<string, string[]>>();

/** What is published if one command runs after the other, by workspace. */
async function expectedOf(commands: Round['inner'][]): Promise<Map<string, string[]>> {
  const names = commands.map(([name]) => name).join(', then ');
  const expected = known.get(names) ?? (await publishedAfter(commands));
  known.set(names, expected);
  return expected;
}

async function publishedAfter(commands: Round['inner'][]): Promise<Map<string, string[]>> {
  const place = copyOf(usual);
  for (const [, command] of commands) await command(await withCurrentKey(place));
  const published = await expectComplete(trusting(place));
  return new Map([...published].map(([id, ids]) => [id, ids.toSorted()]));
}

const pairsOf = (outers: typeof writers, inners: typeof writers) =>
  outers.flatMap((outer) => inners.map((inner) => ({ outer, inner, one: outer[0], other: inner[0] })));

describe('two commands at once', () => {
  test.each([...pairsOf(writers, [...writers, anotherWeek, reader]), ...pairsOf([reader], writers)])(
    '$one is not disturbed, nor does it disturb $other that runs after any of its steps',
    async (round) => {
      let held = 1;
      while (await runInside(round, held)) held += 1;
      expect(held).toBeGreaterThan(1);
    },
  );
});
