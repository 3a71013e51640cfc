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

/** What the auditor's diff calls moved of one field, by engine or name. */
function movedForAuditor(before: Week, after: Week, list: string, field: string): Set<string | undefined> {
  const moved = diffBrand(brand, before, after).changes.filter(
    ({ path, judgement }) => path[0] === list && path[2] === field && judgement === 'moved',
  );
  return new Set(moved.map(({ path }) => (path[1] === 'the brand' ? brand.name : path[1])));
}

test('lists as moved what the auditor’s diff calls moved, and every engine and name once', () => {
  let moved = 0;
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const { visibility, shareOfVoice } = compare(before, after);
      const scores = movedForAuditor(before, after, 'perEngine', 'score');
      expect(new Set(visibility.moved.map(({ engine }) => engine))).toEqual(scores);
      const shares = movedForAuditor(before, after, 'shareOfVoice', 'sovPct');
      expect(new Set(shareOfVoice.moved.map(({ name }) => name))).toEqual(shares);
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

test('gives the reasons why weeks are not comparable, and why an engine or a name is not judged', () => {
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
