import type { Visibility } from '../documents/visibility.ts';
import { compareText } from '../methodology/text.ts';
import { defineTable, joined } from './table.ts';

type Engine = Visibility['perEngine'][number];

const TOO_FEW = 'too few weeks or prompts';

export const visibility = defineTable<Engine>({
  name: 'visibility',
  row: 'One row for each brand and engine that has a score.',
  from: ['visibility'],
  rowsOf: ({ documents }) => documents.visibility?.perEngine ?? [],
  columns: [
    ['engine', 'text', 'slug of the engine', ({ slug }) => slug],
    ['is_web_grounded', 'boolean', 'it searches the web before it answers', (row) => row.isWebGrounded],
    ['date', 'date', 'the cycle of the score', ({ date }) => date],
    ['score', 'number', 'prompts in which the brand was named, %', ({ score }) => score],
    ['band_low', 'number', 'lower edge of the drift band, %', ({ bandLow }) => bandLow, 'warming up'],
    ['band_high', 'number', 'upper edge of the drift band, %', ({ bandHigh }) => bandHigh, 'warming up'],
    ['is_significant', 'boolean', 'the score lies outside its band: an alert', (row) => row.isSignificant],
    ['is_warming_up', 'boolean', 'too few earlier scores for a band', (row) => row.isWarmingUp],
    [
      'no_answer_rate',
      'number',
      'runs without an answer in 14 days, %',
      (row) => row.noAnswerRate,
      'never happened',
    ],
    ['prompts_answered', 'integer', 'prompts answered in that cycle', (row) => row.promptsAnswered],
    ['prompts_named', 'integer', 'those in which an answer named the brand', (row) => row.promptsNamed],
    ['prior_scores', 'integer', 'earlier scores that the band is computed from', (row) => row.priorScores],
    ['answers', 'integer', 'answers in that cycle', ({ answers }) => answers],
    [
      'same_prompts',
      'integer',
      'prompts that were also answered before',
      samePrompts('prompts'),
      'warming up',
    ],
    [
      'same_prompts_named',
      'integer',
      'those that name the brand in the latest cycle',
      samePrompts('named'),
      'warming up',
    ],
    [
      'same_prompts_expected',
      'number',
      'those that would if nothing had changed',
      samePrompts('expected'),
      'warming up',
    ],
    [
      'same_prompts_significant',
      'boolean',
      'the difference is more than chance',
      samePrompts('isSignificant'),
      'warming up',
    ],
    [
      'models',
      'text',
      'models behind the engine, separated by `; `',
      (row) => joined(row.models, '; '),
      'not known',
    ],
    [
      'models_changed',
      'boolean',
      'other models than for the score before',
      (row) => row.modelsChanged,
      'not known',
    ],
    [
      'unbranded_answered',
      'integer',
      "prompts answered, without those with the brand's name",
      unbranded('promptsAnswered'),
    ],
    ['unbranded_named', 'integer', 'those in which an answer named the brand', unbranded('promptsNamed')],
    [
      'same_prompts_p_value',
      'number',
      'how often chance alone differs as much, 0 to 1',
      samePrompts('pValue'),
      'warming up',
    ],
    [
      'detectable_pp',
      'number',
      'a fall that shows in seven of ten such weeks',
      samePrompts('detectablePp'),
      'nothing to compare',
    ],
    [
      'has_moved',
      'boolean',
      'it moved, all engines judged together',
      ({ slug }, given) => given.documents.visibility?.moved?.includes(slug),
    ],
    [
      'four_weeks_prompts',
      'integer',
      'prompts answered in the newest four weeks and before',
      fourWeeks('prompts'),
      TOO_FEW,
    ],
    [
      'four_weeks_named',
      'integer',
      'times they name the brand in the newest four weeks',
      fourWeeks('named'),
      TOO_FEW,
    ],
    [
      'four_weeks_expected',
      'number',
      'times they would if nothing had changed',
      fourWeeks('expected'),
      TOO_FEW,
    ],
    [
      'four_weeks_significant',
      'boolean',
      'a lasting change: more than chance',
      fourWeeks('isSignificant'),
      TOO_FEW,
    ],
  ],
});

function samePrompts(field: keyof NonNullable<Engine['samePrompts']>) {
  return (row: Engine) => row.samePrompts?.[field];
}

function unbranded(field: keyof Engine['unbranded']) {
  return (row: Engine) => row.unbranded?.[field];
}

function fourWeeks(field: keyof NonNullable<Engine['fourWeeks']>) {
  return (row: Engine) => row.fourWeeks?.[field];
}

type Point = NonNullable<Visibility['trend'][Engine['slug']]>[number] & { engine: string };

export const trend = defineTable<Point>({
  name: 'trend',
  row: "One row for each brand, engine and cycle of the trend: the brand's 120 most recent scores.",
  from: ['visibility'],
  rowsOf: ({ documents }) =>
    Object.entries(documents.visibility?.trend ?? {})
      .toSorted(([a], [b]) => compareText(a, b))
      .flatMap(([engine, points]) => points.map((point) => ({ engine, ...point }))),
  columns: [
    ['engine', 'text', 'slug of the engine', ({ engine }) => engine],
    ['date', 'date', 'the cycle', ({ date }) => date],
    ['score', 'number', 'prompts in which the brand was named, %', ({ score }) => score],
    ['prompts_answered', 'integer', 'prompts answered in that cycle', (point) => point.promptsAnswered],
    ['prompts_named', 'integer', 'those in which an answer named the brand', (point) => point.promptsNamed],
    ['answers', 'integer', 'answers in that cycle', ({ answers }) => answers],
  ],
});

export const events = defineTable<Visibility['events'][number]>({
  name: 'events',
  row: 'One row for each brand and event: what happened outside since the oldest score of the trend, such as a new model.',
  from: ['visibility'],
  rowsOf: ({ documents }) => documents.visibility?.events ?? [],
  columns: [
    ['date', 'date', 'the day of the event', ({ date }) => date],
    ['engine', 'text', 'slug of the engine', ({ slug }) => slug, 'all engines'],
    ['text', 'text', 'what happened', ({ text }) => text],
    ['url', 'text', 'a page with more about it', ({ url }) => url, 'not known'],
  ],
});

export const silent = defineTable<Visibility['silent'][number]>({
  name: 'silent',
  row: 'One row for each brand and engine that was in use and gave no answer in the last 10 days.',
  from: ['visibility'],
  rowsOf: ({ documents }) => documents.visibility?.silent ?? [],
  columns: [
    ['engine', 'text', 'slug of the engine', ({ slug }) => slug],
    [
      'last_answered',
      'date',
      'the newest cycle in which it answered',
      ({ lastAnswered }) => lastAnswered,
      'never',
    ],
    ['runs', 'integer', 'its runs in those days; 0: nothing was asked or delivered', ({ runs }) => runs],
  ],
});
