import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Results } from '../../../lib/documents/results.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { dayBeforeWeek } from '../../../lib/methodology/moved.ts';
import { comparisonOf } from '../../../lib/weeks/compare.ts';
import type { Week as Compared } from '../../../lib/weeks/compare.ts';
import { isOfWeek } from '../../../lib/weeks/readings.ts';
import { lastOfEachWeek, mondayOf, weekBefore } from '../../../lib/weeks/weeks.ts';
import { wonAndLost } from '../../../lib/weeks/won-lost.ts';
import { brand, weekOf } from '../../snapshots/weeks.ts';
import type { Week } from '../../snapshots/weeks.ts';

const list = (...all: [day: string, withdrawn: string | null, id: number][]) =>
  all.map(([day, withdrawn, id]) => ({ asOf: `2026-11-${day}T06:00:00.000Z`, withdrawn, id }));

test('a week is Monday to Sunday, UTC', () => {
  expect(mondayOf('2026-11-16T00:00:00.000Z')).toBe('2026-11-16');
  expect(mondayOf('2026-11-22T23:59:59.999Z')).toBe('2026-11-16');
});

test('each week has one snapshot: the last one published of those that stand', () => {
  const all = list(['16', null, 4], ['23', 'lost', 3], ['23', null, 2], ['23', null, 1]);
  expect(lastOfEachWeek(all).map(({ id }) => id)).toEqual([2, 4]);
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
      evidence: [null, `https://a.example/${slug}`].map((url) => ({ url, sha256: null })),
    }));
    return { brand, prompts: [{ promptId: 'p1', promptText: 'Which?', engines }] };
  };
  const before = resultsOf({ ai_mode: 3, chatgpt: null, claude: 1, gemini: null, grok: 1 });
  const after = resultsOf({ ai_mode: null, chatgpt: 2, claude: 5, gemini: null, perplexity: 1 });
  expect(wonAndLost(before, after)).toMatchObject([
    { change: 'won', slug: 'chatgpt', position: 2, answers: ['https://a.example/chatgpt'] },
    { change: 'lost', slug: 'ai_mode', position: 3, answers: ['https://a.example/ai_mode'] },
  ]);
});

const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
const history = [steady, steady, steady, steady, steady];

/** A week of the history, of which the job would have published something else. */
function week(
  change: (documents: Week['documents']) => unknown,
  methodologyVersion = '1.0',
  weeks = 6,
): Compared {
  const { asOf, documents } = weekOf([...history, steady].slice(0, weeks));
  change(documents);
  return { ...documents, snapshot: { id: asOf, asOf, methodologyVersion } };
}

/** Five rivals, of which two have one name; these rows have distances to the first one, by prompt. */
const byPrompt = (...gaps: [lowPp: number, highPp: number][]) => {
  return ({ competitors }: Week['documents']) => {
    const { shareOfVoice } = competitors;
    shareOfVoice[2]!.name = shareOfVoice[1]!.name;
    for (const name of ['Rival 4', 'Rival 5']) shareOfVoice.push({ ...shareOfVoice[3]!, name });
    for (const [index, [lowPp, highPp]] of gaps.entries())
      shareOfVoice[index + 1]!.behindLeader = { gapPp: highPp - 0.5, lowPp, highPp, isBehind: lowPp > 0 };
    const leading = shareOfVoice.filter((row) => row.behindLeader?.isBehind !== true);
    competitors.leadersByPrompt = leading.map(({ name }) => name);
  };
};

/** The first engine answered prompts, each a letter, with models, the second a number; of 30, the third has a fifth more than of 20. */
const answered = (prompts: string, models: string[], promptsAnswered: number) => {
  return ({ visibility, results }: Week['documents']) => {
    const [first, second, third] = visibility.perEngine;
    Object.assign(first!, { models, promptsAnswered: prompts.length, answers: prompts.length });
    Object.assign(second!, { promptsAnswered });
    const more = { promptsAnswered: (20 + promptsAnswered) / 2, answers: promptsAnswered };
    Object.assign(third!, { models: models.slice(1), ...more });
    const all = Array.from(prompts, (promptId) => ({ promptId, engines: [first] }));
    Object.assign(results, { prompts: [...all, { promptId: 'of another', engines: [second] }] });
  };
};

const before = week(() => null, '1.0', 5);
const prompt = {
  id: brand.id,
  text: 'Which?',
  createdAt: '2026-01-05T00:00:00.000Z',
  namesBrand: false,
  tags: [],
};

test.each<[string, Compared, Compared]>([
  ['nothing-moved', before, week(({ prompts }) => prompts.prompts.push({ ...prompt, isActive: false }))],
  [
    'not-comparable',
    before,
    week(({ prompts, competitors, visibility: { perEngine } }) => {
      prompts.prompts.push({ ...prompt, isActive: true });
      Object.assign(competitors, weekOf([{ ...steady, mentions: [1, 2] }]).documents.competitors);
      perEngine[0]!.date = before.visibility.perEngine[0]!.date;
      Object.assign(perEngine[1]!, { isWarmingUp: true, bandLow: null, bandHigh: null, score: 100 });
      perEngine.pop();
    }, '2.0'),
  ],
  [
    'silent-engine-and-no-mentions',
    before,
    week(({ visibility, competitors }) => {
      const [silent, alert, moved] = visibility.perEngine;
      visibility.silent = [{ slug: silent!.slug, lastAnswered: null, runs: 1 }];
      alert!.isSignificant = true;
      visibility.moved = [moved!.slug];
      competitors.totalMentions = 0;
    }),
  ],
  [
    'distances-by-prompt',
    week(byPrompt([0, 2], [0, 2], [8, 10], [2, 4]), '1.0', 5),
    week(byPrompt([2, 4], [3, 5], [6, 7.5], [0, 2], [0, 1])),
  ],
  [
    'other-models-and-prompts',
    week(answered('abcde', ['m-1'], 20), '1.0', 5),
    week(answered('defg', ['m-1', 'm-2'], 30)),
  ],
  [
    'outside-of-the-band',
    before,
    week(({ visibility: { perEngine }, competitors }) => {
      for (const engine of perEngine) engine.samePrompts = null;
      Object.assign(perEngine[0]!, { bandLow: 60 });
      Object.assign(perEngine[1]!, { bandHigh: 40, isSignificant: true });
      Object.assign(perEngine[2]!, { bandLow: 50, bandHigh: 50 }); // the older score
      const [, above, below, apart] = competitors.shareOfVoice;
      Object.assign(above!, { lowPct: above!.highPct, highPct: 40 });
      Object.assign(below!, { lowPct: 10, highPct: below!.lowPct });
      Object.assign(apart!, { lowPct: 30, highPct: 40 });
      Object.assign(competitors, { leaders: [apart!.name], leadersByPrompt: [apart!.name] });
    }),
  ],
])('the comparison of two weeks is golden/%s.txt', async (name, ...pair) => {
  const text = `${JSON.stringify(comparisonOf(...pair), null, 1)}\n`;
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${name}.txt`));
});
