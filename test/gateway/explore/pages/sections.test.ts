import { expect, test } from 'vitest';
import type { Results } from '../../../../lib/documents/results.ts';
import { competitorsSection } from '../../../../gateway/explore/pages/sections/competitors.ts';
import { brandSection } from '../../../../gateway/explore/pages/sections/brand.ts';
import { glance } from '../../../../gateway/explore/pages/sections/glance.ts';
import { resultsSection } from '../../../../gateway/explore/pages/sections/results.ts';
import { visibilitySection } from '../../../../gateway/explore/pages/sections/visibility.ts';
import { engineHistories } from '../../../../gateway/explore/pages/week.ts';
import { weekOf } from '../../../snapshots/weeks.ts';

const week = weekOf([{ named: [10, 10, 10], mentions: [50, 40, 30] }]);

function visibilityText(visibility: typeof week.documents.visibility): string {
  return visibilitySection(visibility, engineHistories([visibility]), week.asOf).text;
}

test('the visibility names the models, the answers and the counts without branded prompts', () => {
  const visibility = structuredClone(week.documents.visibility);
  const [mode, overviews, chatgpt] = visibility.perEngine;
  Object.assign(mode!, { models: ['m-1', 'm-2'], unbranded: { promptsAnswered: 18, promptsNamed: 8 } });
  Object.assign(overviews!, { answers: 60, unbranded: { promptsAnswered: 20, promptsNamed: 10 } });
  Object.assign(chatgpt!, { models: ['gpt'], unbranded: { promptsAnswered: 20, promptsNamed: 10 } });
  const text = visibilityText(visibility);
  expect(text).toMatch(/one is called moved by chance in 5 % of weeks/);
  expect(text).toContain('Models: Google AI Mode m-1, m-2; ChatGPT gpt.');
  expect(text).toContain('10 of 20 prompts, 60 answers<');
  expect(text.match(/10 of 20 prompts</g)).toHaveLength(2);
  expect(text).toContain('Named in prompts that do not contain “<bdi>Acme</bdi>”: Google AI Mode 8 of 18.');
});

test('the share of voice quotes the noise floor only if ties are judged by the intervals', () => {
  const { competitors } = week.documents;
  const floor = `Shares closer than ${competitors.noiseFloorPp} percentage points have no order.`;
  expect(competitorsSection(competitors).text).toContain(floor);
  const byPrompt = competitorsSection({ ...competitors, leadersByPrompt: ['Acme'] }).text;
  expect(byPrompt).toContain('Ties are judged prompt by prompt.');
  expect(byPrompt).not.toContain('have no order');
});

type EngineResult = Results['prompts'][number]['engines'][number];

const won: EngineResult = {
  slug: 'chatgpt',
  date: '2026-11-16',
  isNamed: true,
  position: 2,
  previousDate: '2026-11-09',
  wasNamed: false,
  previousPosition: null,
  change: 'won',
  evidence: [],
};
const lost: EngineResult = { ...won, isNamed: false, position: null, wasNamed: true, change: 'lost' };

function resultsText(...engines: EngineResult[]): string {
  const { brand } = week.documents.visibility;
  const prompts = [{ promptId: brand.id, promptText: 'Which jacket?', engines }];
  return resultsSection({ brand, prompts }, '2026-11-17T06:00:00.000Z').text.replaceAll(/\s+/g, ' ');
}

test('the sentence on what was won and lost counts the rows of the table, and older results apart', () => {
  const old = { date: '2026-11-02', previousDate: '2026-10-26' };
  const text = resultsText(
    won,
    { ...lost, slug: 'claude', previousPosition: 1 },
    { ...won, ...old, slug: 'gemini' },
    { ...lost, ...old, slug: 'grok', previousPosition: 1 },
  );
  expect(text).toContain('named in 1 of 2 results, one for each prompt and engine: 1 won, 1 lost.');
  expect(text).toContain('Not counted: 2 older,');
  expect(text.match(/<td>(won|lost)<\/td>/g)).toEqual(['<td>won</td>', '<td>lost</td>']);
  expect(text).toContain('In the week of 2026-11-16 the brand is named');
  expect(resultsText(won)).not.toContain('Not counted');
});

/** The first table for one brand whose first engine scored 75 %, then 0 %. */
function glanceText(
  change: Partial<(typeof week.documents.visibility.perEngine)[number]>,
  moved: 'ai_mode'[] = [],
): string {
  const history = [15, 0].map((first) => ({ named: [first, 10, 10], mentions: [50, 40, 30] }));
  const { asOf, documents } = structuredClone(weekOf(history));
  const { visibility } = documents;
  Object.assign(visibility.perEngine[0]!, change);
  for (const engine of visibility.perEngine.slice(1)) engine.isWarmingUp = change.isWarmingUp ?? true;
  const brand = { ...visibility.brand, createdAt: '2026-01-05T00:00:00.000Z' };
  const unread = { competitors: null, results: null, stability: null, sources: null, prompts: null };
  return glance([{ brand, asOf, visibility: { ...visibility, moved }, ...unread }]).text;
}

test('the week at a glance says from what an engine moved, or that no brand did', () => {
  const moved = glanceText({ isSignificant: true, isWarmingUp: false }, ['ai_mode']);
  expect(moved).toContain('<span class="label moved">Google AI Mode 75 → 0\u00a0%</span>');
  expect(moved).toContain('brands with a change on top');
  const calm = glanceText({ isSignificant: false, isWarmingUp: false });
  expect(calm).toContain('No brand moved beyond its usual range.');
  expect(calm).not.toContain('with a change on top');
  expect(glanceText({})).not.toContain('No brand moved');
});

test('an engine that moved on the same prompts only has its score once', () => {
  expect(glanceText({ score: 75, isWarmingUp: false }, ['ai_mode'])).toContain('Google AI Mode 75\u00a0%');
});

test('an alert that did not move when all engines are judged together is marked as possibly chance', () => {
  const alert = { isSignificant: true, isWarmingUp: false };
  expect(glanceText(alert)).toContain(
    '<span class="label">Google AI Mode 75 → 0\u00a0%, possibly chance</span>',
  );
  const visibility = structuredClone(week.documents.visibility);
  Object.assign(visibility.perEngine[0]!, alert);
  expect(visibilityText(visibility)).toContain('<td>possibly chance</td>');
  visibility.moved = ['ai_mode'];
  expect(visibilityText(visibility)).toContain('<span class="label moved">moved</span>');
});

test('a brand with a chosen tag says first which parts follow it', () => {
  const { visibility, competitors, stability, sources } = week.documents;
  const brand = { ...visibility.brand, createdAt: '2026-01-05T00:00:00.000Z' };
  const results = {
    brand: visibility.brand,
    prompts: [{ promptId: brand.id, promptText: 'Which jacket?', engines: [won] }],
  };
  const { asOf } = week;
  const whole = { brand, asOf, visibility, competitors, stability, sources, results, prompts: null };
  const text = brandSection(whole, engineHistories([visibility]), null, 'walking & more').text;
  const parts = text
    .split('<h3>')
    .map((part) => part.includes('with the tag “<bdi>walking &amp; more</bdi>”'));
  expect(parts).toEqual([true, ...parts.slice(1).map(() => false)]);
  expect(brandSection(whole, engineHistories([visibility]), null).text).not.toContain('with the tag');
  const { date: newest } = visibility.perEngine[0]!;
  const ranIn = (date: string) => {
    const prompts = [{ ...results.prompts[0]!, engines: [{ ...won, date }] }];
    const shown = { ...whole, results: { ...results, prompts } };
    return brandSection(shown, engineHistories([visibility]), null, 'walking').text;
  };
  const older = '2020-01-06';
  expect(ranIn(older)).toContain(`last ran in the week of ${older}, not in the newest week, ${newest}.`);
  expect(ranIn(older)).toContain(`The newest answers are of ${older}: nothing was won or lost this week.`);
  expect(ranIn(newest)).toContain(`In the week of ${newest} the brand is named`);
  expect(ranIn(newest)).not.toContain('last ran');
});

test('a name stands in an element of its own, so that one written from right to left changes no order', () => {
  const name = 'שלום';
  const named = JSON.parse(JSON.stringify(week.documents).replaceAll('Acme', name)) as typeof week.documents;
  const brand = { ...named.visibility.brand, createdAt: '2026-01-05T00:00:00.000Z' };
  const shown = { ...named, brand, asOf: week.asOf, results: { brand, prompts: [] } };
  const text = [
    brandSection(shown, engineHistories([named.visibility]), null).text,
    glance([shown]).text,
  ].join('');
  const sentences = text.replaceAll(/(?:aria-label|title)="[^"]*"|<svg[^]*?<\/svg>/g, '');
  expect(sentences.split(name).length).toBeGreaterThan(5);
  expect(sentences.replaceAll(`<bdi>${name}</bdi>`, '')).not.toContain(name);
  expect(text).not.toMatch(/[\u2068\u2069]/);
});

test('of more than three names that lead, the others are counted', () => {
  const { asOf, documents } = weekOf([{ named: [10, 10, 10], mentions: [5, 5, 5, 5, 5] }]);
  const { visibility, competitors } = documents;
  const brand = { ...visibility.brand, createdAt: '2026-01-05T00:00:00.000Z' };
  const unread = { results: null, stability: null, sources: null, prompts: null };
  const { text } = glance([{ brand, asOf, visibility, competitors, ...unread }]);
  expect(text.replaceAll(/<\/?bdi>/g, '')).toMatch(/tied: [^<]*, [^<]*, [^<]* and 2 others</);
});

test('a sentiment that nobody classified has no number', () => {
  const visibility = structuredClone(week.documents.visibility);
  const unclassified = { mentions: 28, positive: 0, neutral: 0, negative: 0, netSentiment: 0 };
  Object.assign(visibility.signals, unclassified);
  expect(visibilityText(visibility)).toContain('answers: sentiment not classified, mean position');
  expect(visibilityText(visibility)).not.toContain('net sentiment');
  Object.assign(visibility.signals, { positive: 1, negative: 1 });
  expect(visibilityText(visibility)).toContain(
    '1 positive, 0 neutral, 1 negative, 26 not classified; net sentiment 0,',
  );
});

test('a brand whose runs had no answer is not said to have had no runs', () => {
  const { brand } = week.documents.visibility;
  const unscored = { ...week.documents.visibility, perEngine: [], trend: {} };
  const empty = { ...week.documents, visibility: unscored, results: { brand, prompts: [] } };
  const shown = { ...empty, asOf: week.asOf, brand: { ...brand, createdAt: '2026-01-05T00:00:00.000Z' } };
  const text = glance([shown]).text + brandSection(shown, [], null).text;
  expect(text).not.toMatch(/has run/i);
  expect(text).toContain('no answers yet');
  expect(text).toContain('No answers yet.');
});
