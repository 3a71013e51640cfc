import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { diffBrand } from '../../../snapshots/diff/diff.ts';
import { meaningOf } from '../../../snapshots/diff/words.ts';
import { brand, dateOf, engines, twoWeeks, weekOf } from '../weeks.ts';
import type { Counts, Week } from '../weeks.ts';

const runs = { numRuns: 500 };
const [first] = engines;
const changesOf = (before: Week, after: Week) => diffBrand(brand, before, after).changes;

test('a score has moved if its engine is listed as moved; an alert, or outside of the newer band, it is otherwise possibly chance', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const { perEngine, moved } = after.documents.visibility;
      for (const { document, path, label } of changesOf(before, after)) {
        if (document !== 'visibility' || path[0] !== 'perEngine' || path[2] !== 'score') continue;
        const [old, now] = [before.documents.visibility.perEngine, perEngine].map((all) =>
          all.find(({ slug }) => slug === path[1]),
        ) as [Visibility['perEngine'][number], Visibility['perEngine'][number]];
        const isIn = (score: number) => score >= now.bandLow! && score <= now.bandHigh!;
        const isAlert = !isIn(old.score) || !isIn(now.score) || now.samePrompts?.isSignificant === true;
        const wanted = moved.includes(now.slug) ? 'moved' : isAlert ? 'possibly chance' : 'within noise';
        expect(label).toBe(now.isWarmingUp ? 'insufficient data' : wanted);
        seen.add(label);
      }
    }),
    runs,
  );
  expect(seen).toEqual(new Set(['moved', 'possibly chance', 'within noise', 'insufficient data']));
});

/** The labels of the changed shares, by name. */
const shareLabels = (before: Week, after: Week) =>
  new Map(
    changesOf(before, after)
      .filter(({ path }) => path[0] === 'shareOfVoice' && path[2] === 'sovPct')
      .map(({ path, label }) => [path[1], label]),
  );

test('a share has moved if and only if the two published intervals do not touch, in either order of the weeks', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const [was, is] = [before.documents.competitors, after.documents.competitors];
      const labels = shareLabels(before, after);
      expect(shareLabels(after, before)).toEqual(labels);
      for (const [key, label] of labels) {
        const [old, now] = [was, is].map(({ shareOfVoice }) =>
          shareOfVoice.find((row) => (key === 'the brand' ? row.isBrand : row.name === key)),
        );
        const isApart = now!.lowPct > old!.highPct || old!.lowPct > now!.highPct;
        const isEmpty = was.totalMentions === 0 || is.totalMentions === 0;
        expect(label).toBe(isEmpty ? 'insufficient data' : isApart ? 'moved' : 'within noise');
        seen.add(label);
      }
    }),
    runs,
  );
  expect(seen).toEqual(new Set(['moved', 'within noise', 'insufficient data']));
});

function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer.split('/').slice(1);
  const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((value, name) => (value as Record<string, unknown>)[name], document);
}

test('every JSON pointer leads to its value, in its week, and every field has the meaning that the API describes', () => {
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      for (const { document, change, path, pointer, pointerBefore, ...values } of changesOf(before, after)) {
        if (change === 'reordered') continue;
        const [was, is] = [before, after].map(({ documents }) => ({
          data: documents[document as 'visibility'],
        }));
        const old = change === 'added' ? null : valueAt(was, pointerBefore ?? pointer);
        const now = change === 'removed' ? null : valueAt(is, pointer);
        expect(values).toMatchObject({ old, new: now });
        const isField = change === 'changed' && typeof old !== 'object';
        expect(isField && meaningOf(document, path) === null).toBe(false);
      }
    }),
    { numRuns: 150 },
  );
  expect(meaningOf('competitors', ['shareOfVoice', 'the brand', 'behindLeader', 'isBehind'])).toMatch(
    /^True if the interval is above 0/,
  );
});

const quiet: Counts = { named: [10, 10, 10], mentions: [50, 50, 50, 50] };
const history = Array.from({ length: 8 }, () => quiet);
const before = weekOf(history);
const after = weekOf([...history, { named: [0, 10, 10], mentions: [200, 50, 50, 50] }]);

/** A week with other documents. */
function changed(week: Week, change: (documents: Week['documents']) => void): Week {
  const documents = structuredClone(week.documents);
  change(documents);
  return { ...week, documents };
}

const noResult = { position: null, previousDate: null, wasNamed: null, previousPosition: null };
/** A week in which the first engine has other fields, and answered this number of prompts. */
const answering = (week: Week, fields: Partial<Visibility['perEngine'][number]>, count = 20) =>
  changed(week, ({ visibility, results }) => {
    const engine = { models: ['m-1'], answers: 20, ...fields };
    const { date } = Object.assign(visibility.perEngine[0]!, engine);
    results.prompts = Array.from({ length: count }, (_, number) => ({
      promptId: `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`,
      promptText: `Prompt ${number}`,
      engines: [{ slug: first!, date, isNamed: false, change: 'new', evidence: [], ...noResult }],
    }));
  });

const id = '7d6f3f3e-8d5b-4a0e-9d57-1c8f7a5a1c02';
const createdAt = '2026-01-06T09:30:00.000Z';
const asking = (isActive: boolean) =>
  changed(after, ({ prompts }) => {
    prompts.prompts = [{ id, text: 'Which?', isActive, createdAt, namesBrand: false, tags: [] }];
  });
const renamed = (name: string) =>
  changed(after, ({ competitors }) => {
    competitors.shareOfVoice.find((row) =>
      name === 'Acme Corporation' ? row.isBrand : row.name === 'Rival 1',
    )!.name = name;
  });
const fewerEngines = changed(after, ({ visibility }) => void (visibility.perEngine[2]!.date = dateOf(2)));
const more = { promptsAnswered: 40, answers: 40 };
const answered = answering(before, {});

test.each<[string, Week, string[], ...Partial<[Week, string]>]>([
  ['nothing', after, ['moved', 'moved']],
  [
    'another methodology',
    { ...after, methodologyVersion: '2.0' },
    ['methodology changed', 'methodology changed'],
  ],
  ['an added prompt', asking(true), ['moved', 'prompts changed']],
  ['a paused prompt', asking(false), ['moved', 'moved']],
  ['another competitor', renamed('Rival 9'), ['moved', 'competitors changed']],
  ['another name of the brand', renamed('Acme Corporation'), ['moved', 'moved']],
  ['an engine that no longer runs', fewerEngines, ['moved', 'engines changed']],
  [
    'another model',
    answering(after, { models: ['m-2'] }),
    ['models changed', 'moved'],
    answered,
    'the model changed from m-1 to m-2',
  ],
  [
    'other runs',
    answering(after, { answers: 60 }),
    ['runs per prompt changed', 'moved'],
    answered,
    'the runs per prompt changed from 1.0 to 3.0',
  ],
  ['a fifth more runs', answering(after, { answers: 24 }), ['moved', 'moved'], answered],
  [
    'more answered prompts',
    answering(after, more, 40),
    ['moved', 'moved'],
    answered,
    'it answered 20 prompts in the older week and 40 in the newer, 20 of them in both',
  ],
])(
  'the judgement of a score and of a share is replaced by what makes it void: %s',
  (_, newer, labels, older = before, text) => {
    const { changes, causesOnEngines } = diffBrand(brand, older, newer);
    const [score, share] = [`perEngine/${first}/score`, 'shareOfVoice/the brand/sovPct'].map((path) =>
      changes.find((change) => change.path.join('/') === path),
    );
    expect([score!.label, share!.label]).toEqual(labels);
    expect(score!.judgement).toBe('moved');
    expect(causesOnEngines.map((cause) => cause.text)).toEqual(text === undefined ? [] : [text]);
  },
);

const score = `perEngine/${first}/score`;
const share = 'shareOfVoice/Rival 1/sovPct';
const together = changed(after, ({ visibility }) => void (visibility.moved = []));
const otherModel = answering(after, { models: ['m-2'] });
/** A week of these mentions, in which the distance of the second row to the first has this interval. */
const shared = (mentions: number[], lowPp: number, highPp: number) =>
  changed(weekOf([{ ...quiet, mentions }]), ({ competitors }) => {
    const gap = { gapPp: (lowPp + highPp) / 2, lowPp, highPp, isBehind: lowPp > 0 };
    competitors.shareOfVoice[1]!.behindLeader = gap;
  });
const older = shared([400, 300, 10, 10], 2, 8);
const unknown = weekOf([{ ...quiet, mentions: [400, 100, 10, 10] }]);
const overtaken = weekOf([{ ...quiet, mentions: [100, 600, 10, 10] }]);

test.each<[string, Week, Week, string, string, string?]>([
  ['a mean of which a score moved', answered, after, 'overallVisibility', 'moved'],
  ['a mean of which a model changed', answered, otherModel, 'overallVisibility', 'models changed'],
  ['the day of a score', answered, after, `perEngine/${first}/date`, 'new cycle'],
  ['a mean of fewer engines', answered, fewerEngines, 'overallVisibility', 'engines changed'],
  ['a count without an interval', answered, after, 'totalMentions', 'not judged'],
  [
    'an alert that did not move, engines together',
    before,
    together,
    score,
    'possibly chance',
    'engines together',
  ],
  [
    'a distance that may be the same',
    older,
    shared([400, 100, 10, 10], 7, 30),
    share,
    'within noise',
    'gap by prompt',
  ],
  ['a distance that is another', older, shared([400, 290, 10, 10], 9, 30), share, 'moved', 'gap by prompt'],
  ['a share whose distance is not known', older, unknown, share, 'moved', 'interval'],
  ['a share where another name is first', older, overtaken, share, 'moved', 'interval'],
])('%s has its label, by its rule', (_, from, to, path, label, rule) => {
  const found = changesOf(from, to).find((change) => change.path.join('/') === path);
  expect(found).toMatchObject({ label, ...(rule === undefined ? {} : { rule }) });
});
