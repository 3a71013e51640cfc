import { describe, expect, test } from 'vitest';
import { comparisonOf } from '../../../lib/weeks/compare.ts';
import { engineName } from '../../../lib/weeks/words.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { EngineSlug } from '../../../lib/methodology/constants.ts';
import type { Week } from '../weeks.ts';
import { diffBrand } from '../../../snapshots/diff/diff.ts';
import { brand, engines, weekOf } from '../weeks.ts';
import type { Counts } from '../weeks.ts';

type Engine = Visibility['perEngine'][number];
const [first, second, third] = engines;

const quiet: Counts = { named: [10, 10, 10], mentions: [50, 50, 50, 50] };
const history = Array.from({ length: 8 }, () => quiet);
const fallen: Counts = { ...quiet, named: [2, 10, 10] };

/** The week with other fields on its first engine, and with these prompts answered on it. */
function withFirst(week: Week, fields: Partial<Engine>, answered: readonly number[] = []): Week {
  const documents = structuredClone(week.documents);
  Object.assign(documents.visibility.perEngine[0]!, fields);
  const { date } = documents.visibility.perEngine[0]!;
  documents.results = {
    brand,
    prompts: answered.map((number) => ({
      promptId: `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`,
      promptText: `Prompt ${number}`,
      engines: [
        {
          slug: first!,
          date,
          isNamed: false,
          position: null,
          previousDate: null,
          wasNamed: null,
          previousPosition: null,
          change: 'new',
          evidence: [],
        },
      ],
    })),
  };
  return { ...week, documents };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

const snapshot = ({ asOf, methodologyVersion }: Week) => ({ id: asOf, asOf, methodologyVersion });

function judged(before: Week, after: Week) {
  const diff = diffBrand(brand, before, after);
  const score = diff.changes.find(({ path }) => path.join('/') === `perEngine/${first}/score`)!;
  const [was, is] = [before, after].map((week) => ({ ...week.documents, snapshot: snapshot(week) }));
  return { diff, score, compared: comparisonOf(was!, is!) };
}

const samePrompts = (isSignificant: boolean) => ({
  samePrompts: {
    prompts: 20,
    named: 2,
    expected: 9.8,
    isSignificant,
    pValue: isSignificant ? 0.0004 : 0.2,
    detectablePp: 24,
  },
});

/** As in a week from before engines were judged together. */
function unlisted({ documents, ...week }: Week): Week {
  const { moved: _moved, silent: _silent, ...visibility } = documents.visibility;
  return { ...week, documents: { ...documents, visibility: visibility as typeof documents.visibility } };
}

function withMoved({ documents, ...week }: Week, moved: EngineSlug[]): Week {
  return { ...week, documents: { ...documents, visibility: { ...documents.visibility, moved } } };
}

describe('a score', () => {
  const before = weekOf(history);
  const after = weekOf([...history, fallen]);

  test('is judged with the other engines of the brand: an alert that did not move is possibly chance', () => {
    const byChance = judged(before, withMoved(withFirst(after, samePrompts(true)), []));
    expect(byChance.score).toMatchObject({ label: 'possibly chance', rule: 'engines together' });
    expect(byChance.compared.visibility).toMatchObject({
      moved: [],
      possiblyChance: [{ engine: first, because: '2 of the same 20 prompts name the brand, 9.8 expected' }],
      notMoved: [second, third],
      rules: { together: [first, second, third], samePrompts: [], driftBand: [] },
    });
    const moved = judged(before, withMoved(withFirst(after, samePrompts(false)), [first!]));
    expect(moved.score).toMatchObject({ label: 'moved', rule: 'engines together' });
    expect(moved.compared.visibility).toMatchObject({ moved: [{ engine: first }], possiblyChance: [] });
  });

  test('in a week without that list is judged by its prompts where they are compared, whatever the band says', () => {
    const within = judged(before, unlisted(withFirst(after, samePrompts(false))));
    expect(within.score).toMatchObject({ label: 'within noise', rule: 'same prompts' });
    expect(within.compared.visibility).toMatchObject({
      moved: [],
      rules: { samePrompts: [first, second, third] },
    });
    const moved = judged(before, unlisted(withFirst(after, samePrompts(true))));
    expect(moved.score).toMatchObject({ label: 'moved', rule: 'same prompts' });
    expect(moved.compared.visibility.moved).toMatchObject([
      {
        engine: first,
        rule: 'same prompts',
        because: '2 of the same 20 prompts name the brand, 9.8 expected',
      },
    ]);
  });
});

describe('causes', () => {
  const before = withFirst(weekOf(history), { models: ['m-1'], answers: 20 }, numbers(20));
  const newer = weekOf([...history, fallen]);
  const causesOf = (fields: Partial<Engine>, answered = numbers(20)) => {
    const { diff, score, compared } = judged(before, withFirst(newer, fields, answered));
    return { causes: diff.causes, label: score.label, reasons: compared.notComparable };
  };

  test('are named on the pages in the words of /explore', () => {
    const after = withFirst(newer, { models: ['m-2'], answers: 20 }, numbers(20));
    const { compared } = judged(before, { ...after, methodologyVersion: '2.0' });
    expect(compared.notComparable).toEqual([
      'the methodology changed',
      `${engineName(first!)}: the model changed from m-1 to m-2`,
    ]);
  });

  test('name another model', () => {
    expect(causesOf({ models: ['m-2'] })).toEqual({
      causes: ['models changed'],
      label: 'models changed',
      reasons: [`${engineName(first!)}: the model changed from m-1 to m-2`],
    });
  });

  test('name more runs per prompt', () => {
    expect(causesOf({ models: ['m-1'], answers: 60 })).toEqual({
      causes: ['runs per prompt changed'],
      label: 'runs per prompt changed',
      reasons: [`${engineName(first!)}: the runs per prompt changed from 1.0 to 3.0`],
    });
  });

  test('name other answered prompts, which do not replace a judgement prompt by prompt', () => {
    const reasons = [
      `${engineName(first!)}: it answered 20 prompts in the older week and 40 in the newer, 20 of them in both`,
    ];
    const causes = ['answered prompts changed'];
    const more = { promptsAnswered: 40, answers: 40 };
    expect(causesOf(more, numbers(40))).toEqual({ causes, label: 'moved', reasons });
    const { score } = judged(before, unlisted(withFirst(newer, { ...more, samePrompts: null }, numbers(40))));
    expect(score.label).toBe(causes[0]);
  });
});

const gap = (lowPp: number, highPp: number) => ({
  gapPp: (lowPp + highPp) / 2,
  lowPp,
  highPp,
  isBehind: lowPp > 0,
});

const shared = (mentions: number[], behind: ReturnType<typeof gap>) => {
  const week = weekOf([{ ...quiet, mentions }]);
  const documents = structuredClone(week.documents);
  documents.competitors.shareOfVoice[1]!.behindLeader = behind;
  return { ...week, documents };
};

const shareLabel = (before: Week, after: Week) => {
  const { diff } = judged(before, after);
  const { label, rule } = diff.changes.find(({ path }) => path[1] === 'Rival 1' && path[2] === 'sovPct')!;
  return [label, rule];
};

describe('a share', () => {
  test('is judged by its distance to the same first row', () => {
    const before = shared([400, 300, 10, 10], gap(2, 8));
    const overlapping = shared([400, 100, 10, 10], gap(7, 30));
    expect(shareLabel(before, overlapping)).toEqual(['within noise', 'gap by prompt']);
    expect(shareLabel(before, shared([400, 290, 10, 10], gap(9, 30)))).toEqual(['moved', 'gap by prompt']);
  });

  test('is judged by its interval if another name is first, or the distance is not known', () => {
    const before = shared([400, 300, 10, 10], gap(2, 8));
    const unknown = weekOf([{ ...quiet, mentions: [400, 100, 10, 10] }]);
    expect(shareLabel(before, unknown)).toEqual(['moved', 'interval']);
    const overtaken = weekOf([{ ...quiet, mentions: [100, 600, 10, 10] }]);
    expect(shareLabel(before, overtaken)).toEqual(['moved', 'interval']);
  });
});
