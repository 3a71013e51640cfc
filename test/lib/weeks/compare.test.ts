import { expect, test } from 'vitest';
import { comparisonOf } from '../../../lib/weeks/compare.ts';
import type { Week as Compared } from '../../../lib/weeks/compare.ts';
import { brand, weekOf } from '../../snapshots/weeks.ts';
import type { Counts, Week } from '../../snapshots/weeks.ts';

const compared = ({ asOf, methodologyVersion, documents }: Week): Compared => ({
  ...documents,
  snapshot: { id: asOf, asOf, methodologyVersion },
});
const compare = (before: Week, after: Week) => comparisonOf(compared(before), compared(after));

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
