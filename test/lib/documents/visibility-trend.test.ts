import { describe, expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import { expectedOf } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';
import type { Refusal } from './refusals.ts';
import { engine, young } from './visibilities.ts';

/** A trend that is cut at 120 points. */
const full = expectedOf('Ångström & Co').visibility;

const pointOf = (date: string) => ({ date, score: 50, promptsAnswered: 2, promptsNamed: 1, answers: 2 });

const trends: Refusal<'visibility'>[] = [
  ['points out of order', (v) => swap(v.trend.claude!, 0, 1), 'trend.claude[1]: points must be oldest first'],
  [
    'two points of one date',
    (v) => (v.trend.claude![1]!.date = v.trend.claude![0]!.date),
    'trend.claude[1]: points must be oldest first',
  ],
  [
    'series out of order',
    (v) => (v.trend = Object.fromEntries(Object.entries(v.trend).toReversed())),
    'trend[1]: series must be by slug',
  ],
];

describe('the trend', () => {
  testRefusals('visibility', young, trends);
});

describe('a full trend', () => {
  testRefusals('visibility', full, [
    [
      'a point too many',
      (v) => v.trend.claude!.unshift(pointOf('2020-01-06')),
      'trend: must have at most 120 points, has 121',
    ],
  ]);

  test('may have no room for an engine that has been silent for long', () => {
    const v = structuredClone(full);
    const claude = v.trend.claude!;
    Reflect.deleteProperty(v.trend, 'claude');
    engine(v, 'claude').date = '2019-12-30';
    const days = claude.map((_, day) => `2020-01-${String(day + 1).padStart(2, '0')}`);
    v.trend.grok!.unshift(...days.map(pointOf));
    expect(complaintsAbout('visibility', v)).toEqual([]);
  });
});
