import { describe, expect, test } from 'vitest';
import { isolatedName, standingInWords, weekInWords } from '../../../lib/weeks/words.ts';
import type { CompetitorFacts, VisibilityFacts } from '../../../lib/weeks/words.ts';

type Engine = VisibilityFacts['perEngine'][number];
type Row = CompetitorFacts['shareOfVoice'][number];

const asOf = '2026-11-16T06:00:00.000Z';
const same = (named: number, expected: number, prompts = 7) => ({
  samePrompts: { prompts, named, expected, isSignificant: false, detectablePp: 24.4 },
});
const calm = (slug: string, more: Partial<Engine> = {}): Engine => ({
  slug,
  date: '2026-11-14',
  score: 60,
  isSignificant: false,
  isWarmingUp: false,
  samePrompts: null,
  fourWeeks: null,
  modelsChanged: null,
  ...more,
});
const warming = (slug: string) => calm(slug, { isWarmingUp: true });
const outside = (slug: string, more: Partial<Engine> = {}) =>
  calm(slug, { score: 0, isSignificant: true, ...more });
const silent = (slug: string, lastAnswered: string | null, runs = 30) => ({ slug, lastAnswered, runs });

interface Case {
  engines: Engine[];
  moved?: string[];
  silent?: VisibilityFacts['silent'];
  competitors?: CompetitorFacts | null;
}

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

const weeks: [string, Case, string[]][] = [
  ['nothing has run', { engines: [], competitors: tie }, ['No engine has answered a prompt of Acme yet.']],
  [
    'a calm week says what it could have seen',
    { engines: [calm('chatgpt', same(4, 4.1)), calm('grok', same(3, 3.3))], competitors: tie },
    [
      'Every engine is within its usual range; Acme and Globex cannot be told apart.',
      'A fall of 24 points would have shown in about seven of ten cases.',
    ],
  ],
  [
    'silent engines come first, then those that moved, of which two have numbers, then alerts and what lasts',
    {
      engines: [
        calm('ai_mode', { fourWeeks: { named: 88, expected: 79.9, isSignificant: true } }),
        warming('ai_overview'),
        calm('chatgpt', { date: '2026-11-02' }),
        outside('claude', same(0, 4)),
        outside('deepseek'),
        calm('gemini', { date: '2026-05-01' }),
        outside('grok', { ...same(2, 5.5), modelsChanged: true }),
        outside('perplexity', same(0, 4)),
      ],
      moved: ['claude', 'grok', 'perplexity'],
      silent: [silent('chatgpt', '2026-11-02')],
      competitors: tie,
    },
    [
      'ChatGPT has not answered since 2 November, although asked in the last ten days.',
      'Gemini has no score of this week.',
      'Claude stopped naming Acme: 0 of 7 prompts, 4 expected. Chance rarely causes such a drop.',
      'Grok names Acme in fewer prompts: 2 of 7 prompts, 5.5 expected. Chance rarely causes such a drop. Its model changed, which may be the reason.',
      'Perplexity moved too, more than chance usually causes.',
      'DeepSeek moved too, possibly by chance.',
      'Over four weeks Google AI Mode names Acme more often: 88 times, 79.9 expected.',
      'Everything else is within its usual range, but Google AI Overviews is warming up; Acme and Globex cannot be told apart.',
    ],
  ],
  [
    'a rise inside the band, and an alert that did not move when all engines are judged together',
    {
      engines: [outside('ai_mode', same(0, 0.6, 1)), warming('claude'), calm('grok', same(6, 2.5))],
      moved: ['grok'],
    },
    [
      'Grok names Acme in more prompts: 6 of 7 prompts, 2.5 expected. Chance rarely causes such a rise.',
      'Google AI Mode is outside its usual range for Acme (0 %), possibly by chance: 0 of 1 prompt, 0.6 expected.',
      'All other engines are warming up.',
    ],
  ],
  [
    'prompts that differ, without an alert and without a movement',
    {
      engines: [
        calm('gemini', { samePrompts: { ...same(2, 5).samePrompts, isSignificant: true } }),
        calm('grok', same(5, 5)),
      ],
    },
    [
      'Gemini names Acme in fewer prompts, possibly by chance: 2 of 7 prompts, 5 expected.',
      'Everything else is within its usual range.',
      'A fall of 24 points would have shown in about seven of ten cases.',
    ],
  ],
  [
    'warming up',
    { engines: [warming('gemini'), warming('grok')] },
    ['All engines are warming up, so nothing can be judged yet.'],
  ],
  [
    'an engine that never answered',
    { engines: [calm('gemini')], silent: [silent('grok', null)] },
    [
      'Grok has never answered, although asked in the last ten days.',
      'Everything else is within its usual range.',
    ],
  ],
  [
    'every engine is silent',
    {
      engines: ['chatgpt', 'claude'].map((slug) => outside(slug, { date: '2025-12-30' })),
      silent: ['chatgpt', 'claude'].map((slug) => silent(slug, '2025-12-30', 0)),
    },
    [
      'No engine has answered since 30 December 2025: no run was delivered in the last ten days.',
      'Nothing else can be said about this week.',
    ],
  ],
];

test.each(weeks)(
  '%s',
  (_, { engines, moved = [], silent: without = [], competitors: known = null }, sentences) => {
    const visibility = { perEngine: engines, moved, silent: without };
    expect(weekInWords('Acme', visibility, known, asOf)).toEqual(sentences);
  },
);

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
  const visibility = { perEngine: [outside('grok', same(0, 3.5, 5))], moved: ['grok'], silent: [] };
  const [sentence] = weekInWords(name, visibility, null, asOf);
  expect(sentence).toBe(
    `Grok stopped naming ${isolated}: 0 of 5 prompts, 3.5 expected. Chance rarely causes such a drop.`,
  );
});
