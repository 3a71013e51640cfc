import { describe, expect, test } from 'vitest';
import { isolatedName, standingInWords, weekInWords } from '../../../lib/weeks/words.ts';
import type { CompetitorFacts, VisibilityFacts } from '../../../lib/weeks/words.ts';

type Engine = VisibilityFacts['perEngine'][number];
type Row = CompetitorFacts['shareOfVoice'][number];

const calm = (slug: string): Engine => ({
  slug,
  score: 60,
  bandLow: 40,
  bandHigh: 80,
  isSignificant: false,
  isWarmingUp: false,
  samePrompts: null,
  modelsChanged: null,
});
const warming = (slug: string): Engine => ({
  ...calm(slug),
  bandLow: null,
  bandHigh: null,
  isWarmingUp: true,
});
const outside = (slug: string, more: Partial<Engine> = {}): Engine => ({
  ...calm(slug),
  score: 0,
  isSignificant: true,
  ...more,
});
const moved = (named: number, expected: number, prompts = 7) => ({
  samePrompts: { prompts, named, expected, isSignificant: true },
});
const doubtful = { samePrompts: { prompts: 1, named: 0, expected: 0.6, isSignificant: false } };

const row = (name: string, more: Partial<Row> = {}): Row => ({
  name,
  isBrand: name === 'Acme',
  tiedForLead: true,
  behindLeader: null,
  ...more,
});
const behind = { behindLeader: { isBehind: true } };
const near = { behindLeader: { isBehind: false } };
const competitors = (rows: Row[], leadersByPrompt: string[] | null = null): CompetitorFacts => ({
  totalMentions: 100,
  shareOfVoice: rows,
  leadersByPrompt,
});
const tie = competitors([row('Acme'), row('Globex', near)], ['Acme', 'Globex']);

const weeks: [string, Engine[], CompetitorFacts | null, string[]][] = [
  ['nothing has run', [], tie, ['No engine has answered a prompt of Acme yet.']],
  [
    'a calm week',
    [calm('chatgpt'), calm('grok')],
    tie,
    ['Every engine is within its usual range; Acme and Globex cannot be told apart.'],
  ],
  [
    'an engine stopped naming the brand',
    [calm('chatgpt'), outside('gemini', moved(0, 4.1))],
    tie,
    [
      'Gemini stopped naming Acme: 0 of 7 prompts, 4.1 expected. Chance rarely causes such a drop.',
      'Everything else is within its usual range; Acme and Globex cannot be told apart.',
    ],
  ],
  [
    'fewer prompts, with a new model',
    [outside('grok', { ...moved(2, 5.5), modelsChanged: true }), calm('claude')],
    null,
    [
      'Grok names Acme in fewer prompts: 2 of 7 prompts, 5.5 expected. Chance rarely causes such a drop. Its model changed, which may be the reason.',
      'Everything else is within its usual range.',
    ],
  ],
  [
    'more prompts, inside the band',
    [{ ...calm('grok'), ...moved(6, 2.5) }],
    null,
    [
      'Grok names Acme in more prompts: 6 of 7 prompts, 2.5 expected. Chance rarely causes such a rise.',
      'No other engine has a score.',
    ],
  ],
  [
    'outside the band, but not prompt by prompt',
    [outside('ai_mode', doubtful), warming('grok')],
    null,
    [
      'Google AI Mode is outside its usual range for Acme (0 %), but prompt by prompt that may be chance: 0 of 1 prompt, 0.6 expected.',
      'All other engines are warming up.',
    ],
  ],
  [
    'outside the band, and the prompts are not compared',
    [outside('gemini'), calm('grok')],
    null,
    [
      'Gemini is outside its usual range for Acme: 0 %, expected 40 to 80 %. Chance rarely causes such a drop.',
      'Everything else is within its usual range.',
    ],
  ],
  [
    'several engines moved',
    ['gemini', 'grok', 'claude', 'chatgpt'].map((slug) => outside(slug, moved(0, 4))),
    null,
    [
      'Gemini stopped naming Acme: 0 of 7 prompts, 4 expected. Chance rarely causes such a drop.',
      'Grok stopped naming Acme: 0 of 7 prompts, 4 expected. Chance rarely causes such a drop.',
      'Claude and ChatGPT moved too, more than chance usually causes.',
      'No other engine has a score.',
    ],
  ],
  [
    'what may be chance comes after what rarely is',
    [
      outside('deepseek', doubtful),
      outside('gemini', { score: 90 }),
      outside('grok', moved(0, 4)),
      outside('claude', moved(0, 4)),
      outside('perplexity', doubtful),
    ],
    null,
    [
      'Gemini is outside its usual range for Acme: 90 %, expected 40 to 80 %. Chance rarely causes such a rise.',
      'Grok stopped naming Acme: 0 of 7 prompts, 4 expected. Chance rarely causes such a drop.',
      'Claude moved too, more than chance usually causes.',
      'DeepSeek and Perplexity moved too, but prompt by prompt that may be chance.',
      'No other engine has a score.',
    ],
  ],
  [
    'warming up',
    [warming('gemini'), warming('grok')],
    null,
    ['All engines are warming up, so nothing can be judged yet.'],
  ],
  [
    'one engine is warming up',
    [calm('gemini'), warming('grok')],
    null,
    ['Every engine is within its usual range, but Grok is warming up.'],
  ],
];

test.each(weeks)('%s', (_, perEngine, known, sentences) => {
  expect(weekInWords('Acme', { perEngine }, known)).toEqual(sentences);
});

describe('the names that lead', () => {
  const standings: [string, CompetitorFacts, string][] = [
    ['no competitors', competitors([row('Acme')]), 'no competitors are tracked'],
    [
      'no mentions',
      { ...competitors([row('Acme'), row('Globex')]), totalMentions: 0 },
      'neither Acme nor a competitor was named in the last 14 days',
    ],
    ['the brand alone', competitors([row('Acme'), row('Globex', behind)], ['Acme']), 'Acme leads'],
    [
      'a competitor alone',
      competitors([row('Globex'), row('Acme', behind)], ['Globex']),
      'Globex leads, and Acme is behind',
    ],
    [
      'by prompt where that is known, whatever the intervals say',
      competitors([row('Globex'), row('Acme', behind), row('Initech', near)], ['Globex', 'Initech']),
      'Globex and Initech cannot be told apart, and Acme is behind',
    ],
    [
      'by the intervals of the shares otherwise',
      competitors([row('Globex'), row('Acme', { tiedForLead: false })]),
      'Globex leads, and Acme is behind',
    ],
    [
      'a competitor with the name of the brand is not the brand',
      competitors([row('Acme', { isBrand: false }), row('Acme', { isBrand: true, ...behind })], ['Acme']),
      'Acme leads, and Acme is behind',
    ],
    [
      'many names are counted',
      competitors(['A', 'B', 'C', 'D', 'E'].map((name) => row(name, near)).concat(row('Acme', near)), []),
      'A, B, C and 3 others cannot be told apart',
    ],
  ];

  test.each(standings)('%s', (_, known, words) => {
    expect(standingInWords('Acme', known)).toBe(words);
  });
});

test.each([
  ['Acme', 'Acme'],
  ['שלום מותגים', '\u2068שלום מותגים\u2069'],
  ['شركة', '\u2068شركة\u2069'],
  ['\u202eAcme\u2069', ' Acme '],
])('the name %j does not change the order of the words beside it: %j', (name, isolated) => {
  expect(isolatedName(name)).toBe(isolated);
  const [sentence] = weekInWords(name, { perEngine: [outside('grok', moved(0, 3.5, 5))] }, null);
  expect(sentence).toBe(
    `Grok stopped naming ${isolated}: 0 of 5 prompts, 3.5 expected. Chance rarely causes such a drop.`,
  );
});
