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
    [
      'another name on the row of the brand',
      (c) => (row(c, 0).name = 'Acme'),
      "shareOfVoice: the brand's row must",
    ],
    ['rows out of order', (c) => swap(c.shareOfVoice, 1, 2), 'shareOfVoice[2]: rows must be by mentions'],
    ['mentions in no answer', (c) => (c.answers = 0), 'answers: must not be 0 if there are mentions'],
    ['another total', (c) => (c.totalMentions += 1), 'totalMentions: must be the sum of all mentions, 193'],
    ['mentions that are no count', (c) => (row(c, 1).mentions = -1), 'shareOfVoice[1].mentions: '],
    ['another share', (c) => (row(c, 1).sovPct += 1), 'shareOfVoice[1].sovPct: must be 27.5 for 53 of 193'],
    [
      'a share with two decimals',
      (c) => (row(c, 1).sovPct = 27.46),
      'shareOfVoice[1].sovPct: expected at most',
    ],
    ['another lower bound', (c) => (row(c, 1).lowPct -= 1), 'shareOfVoice[1].lowPct: must be'],
    ['another upper bound', (c) => (row(c, 1).highPct += 1), 'shareOfVoice[1].highPct: must be'],
    ['another half width', (c) => (row(c, 1).halfWidthPp += 1), 'shareOfVoice[1].halfWidthPp: must be'],
    [
      'a tie of the brand with itself',
      (c) => (row(c, 0).tiedWithBrand = true),
      'shareOfVoice[0].tiedWithBrand: must',
    ],
    [
      'a tie that is none',
      (c) => (row(c, 3).tiedWithBrand = true),
      'shareOfVoice[3].tiedWithBrand: must be false',
    ],
    [
      'a tie that is not told',
      (c) => (row(c, 1).tiedWithBrand = false),
      'shareOfVoice[1].tiedWithBrand: must be true',
    ],
    [
      'a lead that is none',
      (c) => (row(c, 3).tiedForLead = true),
      'shareOfVoice[3].tiedForLead: must be false',
    ],
    [
      'a first row that does not lead',
      (c) => (row(c, 0).tiedForLead = false),
      'shareOfVoice[0].tiedForLead: must',
    ],
    ['another noise floor', (c) => (c.noiseFloorPp = 12.9), 'noiseFloorPp: must be 13, by'],
    ['a missing leader', (c) => c.leaders.pop(), 'leaders: must be the names'],
    ['leaders out of order', (c) => swap(c.leaders, 0, 1), 'leaders: must be the names'],
    ['a leader that is not tied', (c) => c.leaders.push('Cyberdyne'), 'leaders: must be the names'],
  ]);
});

describe('competitors without mentions', () => {
  testRefusals('competitors', silent, [
    ['a tie', (c) => (row(c, 1).tiedWithBrand = true), 'shareOfVoice[1].tiedWithBrand: must be false'],
    ['a lead', (c) => (row(c, 0).tiedForLead = true), 'shareOfVoice[0].tiedForLead: must be false'],
    ['an interval', (c) => (row(c, 0).highPct = 100), 'shareOfVoice[0].highPct: must be 0'],
    ['a noise floor below 100', (c) => (c.noiseFloorPp = 0), 'noiseFloorPp: must be 100'],
    ['a leader', (c) => c.leaders.push('Hooli'), 'leaders: must be the names'],
    ['a competitor before the brand', (c) => swap(c.shareOfVoice, 0, 1), 'shareOfVoice[1]: rows must be'],
    ['names out of order', (c) => swap(c.shareOfVoice, 2, 3), 'shareOfVoice[3]: rows must be'],
  ]);
});
