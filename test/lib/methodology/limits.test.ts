import { expect, test } from 'vitest';
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
