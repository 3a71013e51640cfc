import { expect, test } from 'vitest';
import type { Results } from '../../../lib/documents/results.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { dayBeforeWeek } from '../../../lib/methodology/moved.ts';
import { comparisonOf } from '../../../lib/weeks/compare.ts';
import type { Week as Compared } from '../../../lib/weeks/compare.ts';
import { urgentFirst } from '../../../lib/weeks/facts-in-words.ts';
import { isOfWeek } from '../../../lib/weeks/readings.ts';
import { lastOfEachWeek, mondayOf, weekBefore } from '../../../lib/weeks/weeks.ts';
import { wonAndLost } from '../../../lib/weeks/won-lost.ts';
import { brand, weekOf } from '../../snapshots/weeks.ts';
import type { Counts, Week } from '../../snapshots/weeks.ts';

const list = (...all: [day: string, withdrawn: string | null, id: number][]) =>
  all.map(([day, withdrawn, id]) => ({ asOf: `2026-11-${day}T06:00:00.000Z`, withdrawn, id }));

test('a week is Monday to Sunday, UTC', () => {
  expect(mondayOf('2026-11-16T00:00:00.000Z')).toBe('2026-11-16');
  expect(mondayOf('2026-11-22T23:59:59.999Z')).toBe('2026-11-16');
});

test('each week has one snapshot: the last one published of those that stand', () => {
  const snapshots = list(['23', 'mistaken', 6], ['23', null, 5], ['23', null, 4], ['16', 'lost', 3]);
  expect(lastOfEachWeek(snapshots).map(({ id }) => id)).toEqual([5]);
});

test('the week before is the last earlier one that can be read, whatever was withdrawn', () => {
  const snapshots = list(
    ['24', 'mistaken', 6],
    ['23', null, 5],
    ['17', 'lost', 4],
    ['16', 'pruned', 3],
    ['09', null, 2],
  );
  expect(weekBefore(snapshots, snapshots[1]!)?.id).toBe(2);
  expect(weekBefore(snapshots, snapshots[0]!)?.id).toBe(2);
  expect(weekBefore(snapshots, snapshots[4]!)).toBeNull();
});

test.each([0n, 1n, 43_200_000_000n, 86_399_999_999n])(
  'a cycle is of the week for readers exactly if it is for the job, %i µs after midnight',
  (micros) => {
    const asOf = BigInt(Date.parse('2026-03-03T00:00:00Z')) * 1000n + micros;
    const before = dayBeforeWeek(asOf);
    const dates = Array.from({ length: 20 }, (_, ago) =>
      new Date(Date.parse('2026-03-03') - ago * 86_400_000).toISOString().slice(0, 10),
    );
    const ofWeek = dates.filter((date) => isOfWeek(date, formatInstant(asOf)));
    expect(ofWeek).toEqual(dates.filter((date) => date > before));
    expect(ofWeek).toHaveLength(10);
  },
);

test('what needs attention first: silent engines, then those that moved, then alerts', () => {
  const facts = (name: string, silent: number, moved: number, alerts: number) => ({
    brand: { name },
    silent: engineSlugs.slice(0, silent).map((slug) => ({ slug, lastAnswered: null, runs: 1 })),
    moved: engineSlugs.slice(0, moved),
    engines: engineSlugs.slice(0, alerts).map((slug) => ({ ...engine, slug, isSignificant: true })),
    shareOfVoice: { names: 0, totalMentions: 0, leaders: [], leadersByPrompt: null },
  });
  const engine = {
    date: '2026-11-16',
    score: 50,
    promptsAnswered: 2,
    promptsNamed: 1,
    isWarmingUp: false,
    isLasting: false,
  };
  const brands = [
    facts('calm', 0, 0, 0),
    facts('an alert', 0, 0, 1),
    facts('all alerts', 0, 0, 8),
    facts('moved', 0, 1, 1),
    facts('moved, two alerts', 0, 1, 2),
    facts('silent', 1, 0, 0),
  ];
  const ordered = urgentFirst(brands.toSorted((a, b) => a.brand.name.localeCompare(b.brand.name)));
  expect(ordered.map(({ brand: { name } }) => name)).toEqual(
    brands.map(({ brand: { name } }) => name).toReversed(),
  );
});

test('won and lost are the prompts on engines that name the brand in one of two weeks, won first', () => {
  type Engine = Results['prompts'][number]['engines'][number];
  const resultsOf = (positions: Partial<Record<Engine['slug'], number | null>>): Results => {
    const engines = Object.entries(positions).map(([slug, position]) => ({
      slug: slug as Engine['slug'],
      date: '2026-11-16',
      isNamed: position !== null,
      position,
      previousDate: null,
      wasNamed: null,
      previousPosition: null,
      change: 'new' as const,
      evidence: [],
    }));
    return { brand, prompts: [{ promptId: 'p1', promptText: 'Which?', engines }] };
  };
  const before = resultsOf({ ai_mode: 3, chatgpt: null, claude: 1, gemini: null, grok: 1 });
  const after = resultsOf({ ai_mode: null, chatgpt: 2, claude: 5, gemini: null, perplexity: 1 });
  expect(wonAndLost(before, after).map(({ change, slug, position }) => [change, slug, position])).toEqual([
    ['won', 'chatgpt', 2],
    ['lost', 'ai_mode', 3],
  ]);
});

const compared = ({ asOf, methodologyVersion, documents }: Week): Compared => ({
  ...documents,
  snapshot: { id: asOf, asOf, methodologyVersion },
});
const compare = (before: Week, after: Week) => comparisonOf(compared(before), compared(after));

const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
const weeks = (...last: Counts[]) => weekOf([steady, steady, steady, steady, steady, ...last]);

test('a comparison gives the reasons why weeks are not comparable, and why an engine or a name is not judged', () => {
  const [before, after] = [weeks(), weeks(steady)];
  expect(compare(before, after).notComparable).toEqual([]);
  const createdAt = '2026-01-05T00:00:00.000Z';
  const prompt = { id: brand.id, text: 'Which?', isActive: true, createdAt, namesBrand: false, tags: [] };
  const promptsOf = (isActive: boolean) => ({ brand, prompts: [{ ...prompt, isActive }] });
  const paused = { ...after, documents: { ...after.documents, prompts: promptsOf(false) } };
  expect(compare(before, paused).notComparable).toEqual([]);
  const [first, second, third] = after.documents.visibility.perEngine;
  const old = before.documents.visibility.perEngine[0]!;
  const perEngine = [
    { ...first!, date: old.date },
    { ...second!, isWarmingUp: true, bandLow: null, bandHigh: null, score: 100 },
  ];
  const { competitors } = weekOf([{ ...steady, mentions: [1, 2] }]).documents;
  const visibility = { ...after.documents.visibility, perEngine };
  const documents = { ...after.documents, prompts: promptsOf(true), competitors, visibility };
  expect(compare(before, { ...after, methodologyVersion: '2.0', documents })).toMatchObject({
    notComparable: [
      'the methodology changed',
      'the tracked prompts changed',
      'the tracked competitors changed: this concerns the share of voice',
    ],
    visibility: {
      moved: [],
      notJudged: [
        { engine: first!.slug, reason: 'it has no new cycle' },
        { engine: second!.slug, reason: 'warming up: there is no band yet' },
        { engine: third!.slug, reason: 'it has a score in one of the weeks only' },
      ],
    },
    shareOfVoice: { notJudged: [{ name: 'Rival 2' }, { name: 'Rival 3' }] },
  });
});
