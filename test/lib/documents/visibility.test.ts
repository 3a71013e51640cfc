import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import { averagePosition } from '../../../lib/methodology/visibility.ts';
import { expectedOf } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';
import type { Refusal } from './refusals.ts';
import { engine, young } from './visibilities.ts';

const fields: Refusal<'visibility'>[] = [
  ['an unknown field', (v) => Object.assign(v, { extra: 1 }), 'data: '],
  ['a missing field', (v) => Reflect.deleteProperty(v.signals, 'neutral'), 'signals.neutral: '],
  ['an id in upper case', (v) => (v.brand.id = v.brand.id.toUpperCase()), 'brand.id: expected a UUID'],
  ['an empty name', (v) => (v.brand.name = ''), 'brand.name: '],
  ['an unknown engine', (v) => Object.assign(v.perEngine[0]!, { slug: 'bard' }), 'perEngine[0].slug: '],
  ['a score above 100', (v) => (v.perEngine[0]!.score = 100.1), 'perEngine[0].score: '],
  ['a score below 0', (v) => (v.perEngine[0]!.score = -1), 'perEngine[0].score: '],
  [
    'a score with two decimals',
    (v) => (v.perEngine[0]!.score = 40.25),
    'perEngine[0].score: expected at most one',
  ],
  ['a score that is a text', (v) => Object.assign(v.perEngine[0]!, { score: '40' }), 'perEngine[0].score: '],
  [
    'a day that does not exist',
    (v) => (v.perEngine[0]!.date = '2026-02-30'),
    'perEngine[0].date: expected an',
  ],
  [
    'a no-answer rate above 100',
    (v) => (engine(v, 'ai_overview').noAnswerRate = 101),
    'perEngine[1].noAnswerRate',
  ],
  ['a fraction of a mention', (v) => (v.signals.positive = 1.5), 'signals.positive: '],
  ['a position before the first', (v) => (v.signals.avgPosition = 0.9), 'signals.avgPosition: '],
  ['a position with two decimals', (v) => (v.signals.avgPosition = 1.25), 'signals.avgPosition: expected at'],
  ['a net sentiment below −100', (v) => (v.signals.netSentiment = -101), 'signals.netSentiment: '],
  ['an empty series', (v) => (v.trend.claude = []), 'trend.claude: '],
  ['a series of an unknown engine', (v) => Object.assign(v.trend, { bard: v.trend.grok }), 'trend'],
];

const engines: Refusal<'visibility'>[] = [
  [
    'an alert of an engine that is not significant',
    (v) => v.alerts.push({ slug: v.perEngine[0]!.slug, score: v.perEngine[0]!.score }),
    'alerts: must be the engines of perEngine that are significant',
  ],
  ['engines out of order', (v) => swap(v.perEngine, 0, 1), 'perEngine[1]: engines must be unique'],
  [
    'an engine twice',
    (v) => v.perEngine.splice(1, 0, v.perEngine[0]!),
    'perEngine[1]: engines must be unique',
  ],
];

const evidence: Refusal<'visibility'>[] = [
  ['no prompt answered', (v) => (v.perEngine[0]!.promptsAnswered = 0), 'perEngine[0].promptsAnswered: '],
  ['thirteen prior scores', (v) => (v.perEngine[1]!.priorScores = 13), 'perEngine[1].priorScores: '],
];

describe('the fields', () => {
  testRefusals('visibility', young, fields);
});
describe('the engines', () => {
  testRefusals('visibility', young, engines);
});
describe('the counts behind the numbers', () => {
  testRefusals('visibility', young, evidence);
});
test('a brand of which nothing has run has no engines', () => {
  expect(complaintsAbout('visibility', expectedOf('Hooli').visibility)).toEqual([]);
});

test('the mean of any positions that ingest accepts is valid', () => {
  const position = fc.bigInt({ min: 1n, max: BigInt(Number.MAX_SAFE_INTEGER) });
  fc.assert(
    fc.property(fc.array(position, { minLength: 1, maxLength: 20 }), (positions) => {
      const sum = positions.reduce((total, each) => total + each);
      const avgPosition = averagePosition(sum, positions.length);
      const withMean = { ...young, signals: { ...young.signals, avgPosition } };
      expect(complaintsAbout('visibility', withMean)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
