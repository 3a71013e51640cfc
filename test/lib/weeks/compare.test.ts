import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparisonOf } from '../../../lib/weeks/compare.ts';
import type { Week as Compared } from '../../../lib/weeks/compare.ts';
import { diffBrand } from '../../../snapshots/diff/diff.ts';
import { brand, twoWeeks, weekOf } from '../../snapshots/weeks.ts';
import type { Counts, Week } from '../../snapshots/weeks.ts';

const compared = ({ asOf, methodologyVersion, documents }: Week): Compared => ({
  ...documents,
  snapshot: { id: asOf, asOf, methodologyVersion },
});
const compare = (before: Week, after: Week) => comparisonOf(compared(before), compared(after));

const nameOf = (key: string | undefined) => (key === 'the brand' ? brand.name : key);

/** The labels of the auditor's diff for the changes of one field, by engine or name. */
function judgedByAuditor(before: Week, after: Week, document: string, list: string, field: string) {
  const changes = diffBrand(brand, before, after).changes.filter(
    ({ document: name, path }) => name === document && path[0] === list && path[2] === field,
  );
  return (judgement: string) =>
    new Set(changes.filter((change) => change.judgement === judgement).map(({ path }) => nameOf(path[1])));
}

test('lists as moved what the auditor’s diff calls moved, and nothing else', () => {
  let moved = 0;
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const { visibility, shareOfVoice } = compare(before, after);
      const scores = judgedByAuditor(before, after, 'visibility', 'perEngine', 'score');
      expect(new Set(visibility.moved.map(({ engine }) => engine))).toEqual(scores('moved'));
      const shares = judgedByAuditor(before, after, 'competitors', 'shareOfVoice', 'sovPct');
      expect(new Set(shareOfVoice.moved.map(({ name }) => name))).toEqual(shares('moved'));
      const undecided = new Set(visibility.notJudged.map(({ engine }) => engine));
      expect(undecided.isSupersetOf(scores('insufficient data'))).toBe(true);
      const chance = scores('possibly chance');
      expect(chance.isSubsetOf(new Set(visibility.possiblyChance.map(({ engine }) => engine)))).toBe(true);
      const counted = ({ moved: all, notMoved, notJudged }: typeof visibility | typeof shareOfVoice) =>
        all.length + notMoved.length + notJudged.length;
      expect(counted(visibility) + visibility.possiblyChance.length).toBe(3);
      expect(counted(shareOfVoice)).toBe(4);
      moved += visibility.moved.length + shareOfVoice.moved.length;
    }),
    { numRuns: 200 },
  );
  expect(moved).toBeGreaterThan(50);
});

const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
const weeks = (...last: Counts[]) => weekOf([steady, steady, steady, steady, steady, ...last]);

test('gives the reasons why numbers are not comparable', () => {
  const [before, after] = [weeks(), weeks(steady)];
  expect(compare(before, after).notComparable).toEqual([]);
  const createdAt = '2026-01-05T00:00:00.000Z';
  const prompt = { id: brand.id, text: 'Which?', isActive: true, createdAt, namesBrand: false, tags: [] };
  const asked = { ...after.documents, prompts: { brand, prompts: [prompt] } };
  const paused = { ...asked, prompts: { brand, prompts: [{ ...prompt, isActive: false }] } };
  const changed = { ...after, methodologyVersion: '2.0', documents: asked };
  expect(compare(before, changed).notComparable).toEqual([
    'the methodology changed',
    'the tracked prompts changed',
  ]);
  expect(compare(before, { ...after, documents: paused }).notComparable).toEqual([]);
  const fewer = weekOf([{ ...steady, mentions: [1, 2] }]);
  expect(compare(before, fewer)).toMatchObject({
    notComparable: ['the tracked competitors changed: this concerns the share of voice'],
    shareOfVoice: { notJudged: [{ name: 'Rival 2' }, { name: 'Rival 3' }] },
  });
});

test('an engine without a new cycle, an engine that warms up and an engine of only one week are not judged', () => {
  const [before, after] = [weeks(), weeks(steady)];
  const { perEngine, ...rest } = after.documents.visibility;
  const [first, second, third] = perEngine;
  const without = (engine: typeof first) => ({
    ...engine!,
    isWarmingUp: true,
    bandLow: null,
    bandHigh: null,
  });
  const old = before.documents.visibility.perEngine[0]!;
  const visibility = {
    ...rest,
    perEngine: [
      { ...first!, date: old.date },
      { ...without(second), score: 100 },
    ],
  };
  const { notJudged, moved } = compare(before, {
    ...after,
    documents: { ...after.documents, visibility },
  }).visibility;
  expect(moved).toEqual([]);
  expect(notJudged).toEqual([
    { engine: first!.slug, reason: 'it has no new cycle' },
    { engine: second!.slug, reason: 'warming up: there is no band yet' },
    { engine: third!.slug, reason: 'it has a score in one of the weeks only' },
  ]);
});
