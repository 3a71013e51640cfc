import { describe } from 'vitest';
import type { Competitors } from '../../../lib/documents/competitors.ts';
import { expectedOf } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';

/** The brand leads with 62 mentions, two of three competitors tie with it. */
const sound = expectedOf('Ångström & Co').competitors;
/** Nothing was mentioned; two competitors share a name. */
const silent = expectedOf('Massive Dynamic').competitors;
const row = (c: Competitors, index: number) => c.shareOfVoice[index]!;

describe('competitors', () => {
  testRefusals('competitors', sound, [
    [
      'no row of the brand',
      (c) => (row(c, 0).isBrand = false),
      'shareOfVoice: must have one row of the brand, has 0',
    ],
    [
      'two rows of the brand',
      (c) => (row(c, 1).isBrand = true),
      'shareOfVoice: must have one row of the brand, has 2',
    ],
    ['rows out of order', (c) => swap(c.shareOfVoice, 1, 2), 'shareOfVoice[2]: rows must be by mentions'],
    ['mentions that are no count', (c) => (row(c, 1).mentions = -1), 'shareOfVoice[1].mentions: '],
    [
      'a share with two decimals',
      (c) => (row(c, 1).sovPct = 27.46),
      'shareOfVoice[1].sovPct: expected at most',
    ],
  ]);
});

describe('competitors without mentions', () => {
  testRefusals('competitors', silent, [
    ['a competitor before the brand', (c) => swap(c.shareOfVoice, 0, 1), 'shareOfVoice[1]: rows must be'],
    ['names out of order', (c) => swap(c.shareOfVoice, 2, 3), 'shareOfVoice[3]: rows must be'],
  ]);
});
