import { expect, test } from 'vitest';
import { behindLeader } from '../../../lib/methodology/behind-leader.ts';
import { fourWeeks } from '../../../lib/methodology/four-weeks.ts';
import { placementOf } from '../../../lib/methodology/stability.ts';
import { compareText } from '../../../lib/methodology/text.ts';

/** Of 20 prompts, with squares of 19/20 of (20 × 100,000)²: t of 19 degrees of freedom is 2.093024. */
const haveChanged = (expected: bigint) =>
  fourWeeks(8, { prompts: 20, named: 0, expected, squares: 3_800_000_000_000n })!.isSignificant;

test('next to the limits of a verdict, which few weeks are, it is that of the methodology', () => {
  expect([placementOf(16, 23), placementOf(21, 53)]).toEqual(['emerging', 'carousel']);
  expect([4_186_048n, 4_186_049n].map(haveChanged)).toEqual([false, true]);
});

test('texts are in the order of their code points, a shorter one first', () => {
  const texts = ['', 'a', 'aa', 'ab', 'b', '\ud7ff', '\ue000', 'ﬁ', '\u{10000}', '\u{103fe}', '\u{103ff}'];
  expect(texts.toReversed().toSorted(compareText)).toEqual(texts);
});

test('a gap that is the same share of every prompt has an interval without width, rounded as the gap is', () => {
  const prompts = 10;
  const [all, leads, follows] = [2000n, 1000n, 971n];
  const row = (mentions: bigint) => ({
    mentions: Number(mentions) * prompts,
    prompts,
    withItself: mentions * mentions * 10n,
    withLeader: mentions * leads * 10n,
    withAll: mentions * all * 10n,
  });
  const others = row(all - leads - follows);
  // 29 of 2,000 are 1.45 %: the double next to that is below it.
  expect(behindLeader([row(leads), row(follows), others])![1]).toEqual({
    gapPp: 1.5,
    lowPp: 1.5,
    highPp: 1.5,
    isBehind: true,
  });
});
