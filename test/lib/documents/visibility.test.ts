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
  ['engines out of order', (v) => swap(v.perEngine, 0, 1), 'perEngine[1]: engines must be unique'],
  [
    'an engine twice',
    (v) => v.perEngine.splice(1, 0, v.perEngine[0]!),
    'perEngine[1]: engines must be unique',
  ],
  [
    'a band while warming up',
    (v) => (v.perEngine[0]!.bandLow = 10),
    'perEngine[0].bandLow: must be null exactly',
  ],
  ['half a band', (v) => (v.perEngine[1]!.bandHigh = null), 'perEngine[1].bandHigh: must be null exactly'],
  ['a band upside down', (v) => (v.perEngine[1]!.bandLow = 90), 'perEngine[1].bandLow: must not lie above'],
];

const evidence: Refusal<'visibility'>[] = [
  ['no prompt answered', (v) => (v.perEngine[0]!.promptsAnswered = 0), 'perEngine[0].promptsAnswered: '],
  [
    'more prompts named than answered',
    (v) => (v.perEngine[0]!.promptsNamed = v.perEngine[0]!.promptsAnswered + 1),
    'perEngine[0].promptsNamed: must not be more than promptsAnswered',
  ],
  ['thirteen prior scores', (v) => (v.perEngine[1]!.priorScores = 13), 'perEngine[1].priorScores: '],
  [
    'a band of three prior scores',
    (v) => (v.perEngine[1]!.priorScores = 3),
    'perEngine[1].priorScores: must be below 4 exactly while warming up',
  ],
  [
    'fewer prior scores than the trend has',
    (v) => (engine(v, 'claude').priorScores = 3),
    'trend.claude: must not have more than priorScores, 3, before',
  ],
  [
    'a latest point with other counts than the engine',
    (v) => {
      const latest = v.trend.claude!.at(-1)!;
      Object.assign(latest, {
        promptsAnswered: 2 * latest.promptsAnswered,
        promptsNamed: 2 * latest.promptsNamed,
      });
    },
    "trend.claude[4]: must be the engine's latest score",
  ],
  [
    'more answers that name the brand than answers',
    (v) => (v.signals.answers = v.signals.answersNaming - 1),
    'signals.answersNaming: must not be more than answers',
  ],
  [
    'more answers that name the brand than mentions',
    (v) => (v.signals.answersNaming = v.signals.mentions + 1),
    'signals.answersNaming: must be from 1 to mentions',
  ],
  ['mentions in no answer', (v) => (v.signals.answersNaming = 0), 'signals.answersNaming: must be from 1'],
];

const signals: Refusal<'visibility'>[] = [
  ['fewer mentions than sentiments', (v) => (v.signals.mentions = 22), 'signals.mentions: must not be fewer'],
  [
    'no position for mentions',
    (v) => (v.signals.avgPosition = null),
    'signals.avgPosition: must be null if and only if',
  ],
  [
    'a position without mentions',
    (v) => Object.assign(v.signals, { mentions: 0, positive: 0, neutral: 0, negative: 0 }),
    'signals.avgPosition: must be null if and only if',
  ],
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
describe('the signals', () => {
  testRefusals('visibility', young, signals);
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
