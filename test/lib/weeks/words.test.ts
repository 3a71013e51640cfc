import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { factsInWords, urgentFirst } from '../../../lib/weeks/facts-in-words.ts';
import { standingInWords, weekInWords } from '../../../lib/weeks/words.ts';
import type { VisibilityFacts } from '../../../lib/weeks/words.ts';
import { expectedText, goldenFolders } from '../../golden/cases.ts';

type Engine = VisibilityFacts['perEngine'][number];

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
const outside = (slug: string, more: Partial<Engine> = {}) =>
  calm(slug, { score: 0, isSignificant: true, ...more });
const lasting = (named: number) => ({ fourWeeks: { named, expected: 79.9, isSignificant: true } });
const silent = (slug: string, lastAnswered: string | null, runs = 30) => ({ slug, lastAnswered, runs });

/** Weeks that no golden case of the job has. */
const weeks: Record<string, Partial<VisibilityFacts>> = {
  'four engines moved, of which two have numbers, and three changed over four weeks': {
    perEngine: [
      calm('ai_mode', lasting(88)),
      outside('claude', { ...same(0, 4), ...lasting(20) }),
      outside('deepseek', { modelsChanged: true }),
      outside('grok', { ...same(2, 5.5), modelsChanged: true, ...lasting(20) }),
      outside('perplexity', same(0, 4)),
      outside('gemini', same(0, 4)),
    ],
    moved: ['claude', 'grok', 'perplexity', 'gemini'],
  },
  'a rise inside of the band, and an alert that did not move when all engines are judged together': {
    perEngine: [
      outside('ai_mode', same(0, 0.6, 1)),
      calm('claude', { isWarmingUp: true }),
      calm('grok', same(6, 2.5)),
    ],
    moved: ['grok'],
  },
  'prompts that differ, without an alert and without a movement': {
    perEngine: [
      calm('gemini', { samePrompts: { ...same(2, 5).samePrompts, isSignificant: true } }),
      calm('chatgpt', { samePrompts: { ...same(7, 5).samePrompts, isSignificant: true } }),
      calm('grok', same(5, 5)),
    ],
  },
  'no prompt in common with an earlier week': { perEngine: [outside('grok', same(0, 0, 0)), calm('claude')] },
  'every engine is silent, since last year': {
    perEngine: ['chatgpt', 'claude'].map((slug) => outside(slug, { date: '2025-12-30' })),
    silent: ['chatgpt', 'claude'].map((slug) => silent(slug, '2025-12-30', 0)),
  },
};

/** A competitor that leads, and has the name of the brand. */
const twins = {
  totalMentions: 100,
  shareOfVoice: [
    { name: 'Acme', isBrand: false, tiedForLead: true, behindLeader: null },
    { name: 'Acme', isBrand: true, tiedForLead: true, behindLeader: { isBehind: true } },
  ],
  leadersByPrompt: ['Acme'],
};

const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16)}`;

test('weeks in words are golden/words.txt', async () => {
  const lines = Object.entries(weeks).map(([name, { perEngine = [], moved = [], silent: without = [] }]) => {
    const sentences = weekInWords('Acme', { perEngine, moved, silent: without }, null, asOf);
    return [`# ${name}`, ...sentences, ''].join('\n');
  });
  lines.push(`# a competitor with the name of the brand\n${standingInWords('Acme', twins)}\n`);
  // Names from right to left, or with a control character, do not change the order of the words beside them.
  const visibility = { perEngine: [outside('grok', same(0, 3.5, 5))], moved: ['grok'], silent: [] };
  for (const name of ['Acme', 'שלום מותגים', 'شركة', '\u202eAcme\u2069'])
    lines.push(
      JSON.stringify(weekInWords(name, visibility, null, asOf)[0]).replaceAll(/[\u2000-\uffff]/g, escaped),
    );
  await expect(lines.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'golden/words.txt'));
});

type Workspace = Pick<Documents, 'week'> & Record<string, Pick<Documents, 'visibility' | 'competitors'>>;

test('the weeks of the golden cases are golden/cases.txt in words, and in short those that need attention first', async () => {
  const workspaces = goldenFolders.flatMap((name) =>
    Object.values(JSON.parse(expectedText(name)) as Record<string, Workspace>),
  );
  const lines = workspaces.flatMap(({ week, ...documents }) =>
    (week?.brands ?? []).map(({ brand: { id, name } }) => {
      const { visibility, competitors: known } = documents[id]!;
      return `${weekInWords(name, visibility, known, asOf).join('\n')}\n`;
    }),
  );
  const brands = urgentFirst(workspaces.flatMap(({ week }) => week?.brands ?? []).toReversed());
  const [first] = brands;
  const engines = first!.engines.map((engine) => ({ ...engine, promptsAnswered: 1 }));
  for (const facts of [...brands, { ...first!, moved: [engines[1]!.slug], silent: [], engines }])
    lines.push(`${facts.brand.name}: ${factsInWords(facts, asOf).join(' ')}`);
  const distinct = [...new Set(lines)].join('\n');
  await expect(`${distinct}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'golden/cases.txt'));
});
