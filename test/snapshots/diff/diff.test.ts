import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Competitors } from '../../../lib/documents/competitors.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { Week } from '../weeks.ts';
import { changesBetween } from '../../../snapshots/diff/changes.ts';
import { diffBrand } from '../../../snapshots/diff/diff.ts';
import { meaningOf } from '../../../snapshots/diff/words.ts';
import { brand, dateOf, engines, twoWeeks, weekOf } from '../weeks.ts';
import type { Counts } from '../weeks.ts';

const runs = { numRuns: 500 };
const changesOf = (before: Week, after: Week) => diffBrand(brand, before, after).changes;
const scoreOf = ({ perEngine }: Visibility, slug: string) =>
  perEngine.find((engine) => engine.slug === slug)!;
const rowOf = ({ shareOfVoice }: Competitors, key: string) =>
  shareOfVoice.find((row) => (key === 'the brand' ? row.isBrand : !row.isBrand && row.name === key))!;

test('a score has moved if its engine is listed as moved; outside of the newer band it is otherwise possibly chance', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      for (const { document, path, label } of changesOf(before, after)) {
        if (document !== 'visibility' || path[0] !== 'perEngine' || path[2] !== 'score') continue;
        const old = scoreOf(before.documents.visibility, path[1]!);
        const now = scoreOf(after.documents.visibility, path[1]!);
        seen.add(label);
        const holdsBoth =
          now.bandLow !== null &&
          Math.min(old.score, now.score) >= now.bandLow &&
          Math.max(old.score, now.score) <= now.bandHigh!;
        expect(label === 'insufficient data').toBe(now.isWarmingUp);
        const isAlert = !holdsBoth || now.samePrompts?.isSignificant === true;
        const hasMoved = after.documents.visibility.moved.includes(now.slug);
        const wanted = hasMoved ? 'moved' : isAlert ? 'possibly chance' : 'within noise';
        expect(label).toBe(now.isWarmingUp ? 'insufficient data' : wanted);
        expect(holdsBoth && now.isSignificant).toBe(false);
      }
    }),
    runs,
  );
  expect(seen).toEqual(new Set(['moved', 'possibly chance', 'within noise', 'insufficient data']));
});

test('a share has moved if and only if the two published intervals do not touch, in either order of the weeks', () => {
  const seen = new Set<string>();
  const shareFields = new Set(['mentions', 'sovPct', 'lowPct', 'highPct', 'halfWidthPp']);
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const [was, is] = [before.documents.competitors, after.documents.competitors];
      const backwards = new Map(
        changesOf(after, before).map((change) => [change.path.join('/'), change.label]),
      );
      for (const { document, path, label } of changesOf(before, after)) {
        if (document !== 'competitors' || !shareFields.has(path[2] ?? '')) continue;
        const [old, now] = [rowOf(was, path[1]!), rowOf(is, path[1]!)];
        seen.add(label);
        const isEmpty = was.totalMentions === 0 || is.totalMentions === 0;
        const isApart = now.lowPct > old.highPct || old.lowPct > now.highPct;
        expect(label).toBe(isEmpty ? 'insufficient data' : isApart ? 'moved' : 'within noise');
        expect(backwards.get(path.join('/'))).toBe(label);
      }
    }),
    runs,
  );
  expect(seen).toEqual(new Set(['moved', 'within noise', 'insufficient data']));
});

test('every field that changed has the meaning that the API describes', () => {
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const fields = changesOf(before, after).filter(
        ({ change, old, path }) => change === 'changed' && typeof old !== 'object' && path.length > 0,
      );
      const unknown = fields.filter(({ document, path }) => meaningOf(document, path) === null);
      expect(unknown).toEqual([]);
    }),
    runs,
  );
  expect(meaningOf('competitors', ['shareOfVoice', 'the brand', 'behindLeader', 'isBehind'])).toMatch(
    /^True if the interval is above 0/,
  );
  expect(meaningOf('competitors', ['shareOfVoice', 'the brand'])).toBeNull();
});

function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce((value, token) => (value as Record<string, unknown>)[token], document);
}

test('every JSON pointer leads to its value, in its week', () => {
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      for (const { document, change, pointer, pointerBefore, old, new: now } of changesOf(before, after)) {
        if (change === 'reordered') continue;
        const was = { data: before.documents[document as 'visibility'] };
        const is = { data: after.documents[document as 'visibility'] };
        const found = {
          old: change === 'added' ? null : valueAt(was, pointerBefore ?? pointer),
          now: change === 'removed' ? null : valueAt(is, pointer),
        };
        expect(found).toEqual({ old, now });
      }
    }),
    { numRuns: 150 },
  );
});

const rows = fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', '~/d'), n: fc.nat(2) }), {
  selector: ({ id }) => id,
});

test('two documents have no changes if and only if they are the same', () => {
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const changes = changesBetween('prompts', { prompts: before }, { prompts: after });
      expect(changes.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
    }),
    runs,
  );
});

describe('causes have precedence over judgements', () => {
  const quiet: Counts = { named: [10, 10, 10], mentions: [50, 50, 50, 50] };
  const loud: Counts = { named: [0, 10, 10], mentions: [200, 50, 50, 50] };
  const before = weekOf(Array.from({ length: 8 }, () => quiet));
  const after = weekOf([...Array.from({ length: 8 }, () => quiet), loud]);
  const labelOf = (week: Week, ...path: string[]) =>
    changesOf(before, week).find((change) => change.path.join('/') === path.join('/'))?.label;
  const score = ['perEngine', engines[0]!, 'score'];
  const share = ['shareOfVoice', 'the brand', 'sovPct'];

  test('without one, both have moved', () => {
    expect([labelOf(after, ...score), labelOf(after, ...share)]).toEqual(['moved', 'moved']);
  });

  test('another methodology makes everything incomparable', () => {
    const week = { ...after, methodologyVersion: '2.0' };
    expect([labelOf(week, ...score), labelOf(week, ...share)]).toEqual(Array(2).fill('methodology changed'));
    expect(changesOf(before, week).find(({ path }) => path[2] === 'score')?.judgement).toBe('moved');
  });

  test('an added or reworded prompt makes shares incomparable, not scores that are judged prompt by prompt', () => {
    const prompt = {
      id: '7d6f3f3e-8d5b-4a0e-9d57-1c8f7a5a1c02',
      text: 'Which?',
      isActive: true,
      createdAt: '2026-01-06T09:30:00.000Z',
      namesBrand: false,
      tags: [],
    };
    const week = { ...after, documents: { ...after.documents, prompts: { brand, prompts: [prompt] } } };
    expect([labelOf(week, ...score), labelOf(week, ...share)]).toEqual(['moved', 'prompts changed']);
    const paused = { brand, prompts: [{ ...prompt, isActive: false }] };
    expect(labelOf({ ...after, documents: { ...after.documents, prompts: paused } }, ...share)).toBe('moved');
  });

  test('another competitor makes shares incomparable, not scores', () => {
    const competitors = structuredClone(after.documents.competitors);
    competitors.shareOfVoice.find((row) => row.name === 'Rival 1')!.name = 'Rival 9';
    const week = { ...after, documents: { ...after.documents, competitors } };
    expect([labelOf(week, ...score), labelOf(week, ...share)]).toEqual(['moved', 'competitors changed']);
  });

  test('an engine that no longer runs makes shares and the mean incomparable, not the scores of the others', () => {
    const visibility = structuredClone(after.documents.visibility);
    visibility.perEngine[2]!.date = dateOf(2);
    const week = { ...after, documents: { ...after.documents, visibility } };
    const overall = labelOf(week, 'overallVisibility');
    expect([labelOf(week, ...score), labelOf(week, ...share), overall]).toEqual([
      'moved',
      'engines changed',
      'engines changed',
    ]);
  });

  test('another name or website of the brand is reported, and hides no movement', () => {
    const renamed = { ...brand, name: 'Acme Corporation' };
    const documents = structuredClone(after.documents);
    for (const document of Object.values(documents)) document.brand = renamed;
    documents.competitors.shareOfVoice.find((row) => row.isBrand)!.name = renamed.name;
    const week = { ...after, documents };
    expect(labelOf(week, 'brand', 'name')).toBe('brand changed');
    expect(labelOf(week, 'shareOfVoice', 'the brand', 'name')).toBe('brand changed');
    expect([labelOf(week, ...score), labelOf(week, ...share)]).toEqual(['moved', 'moved']);
  });
});

describe('an older week', () => {
  const [one, other] = [
    { named: [5, 5, 5], mentions: [10, 20, 5, 5] },
    { named: [16, 5, 5], mentions: [12, 30, 5, 5] },
  ];
  const after = weekOf([one, one, one, one, one, other]);
  const older = () => structuredClone(weekOf([one, one, one, one, one]));

  test.each(['visibility', 'stability', 'competitors', 'sources', 'results', 'prompts'] as const)(
    'without %s is compared by what it has; the document is new',
    (kind) => {
      const before = { ...older(), documents: { ...older().documents, [kind]: null } };
      const { changes, wonAndLost, causes } = diffBrand(brand, before, after);
      const ofKind = changes.filter(({ document }) => document === kind);
      expect(ofKind).toMatchObject([{ old: null, path: [], label: 'not judged' }]);
      expect({ causes, wonAndLost }).toEqual({ causes: [], wonAndLost: [] });
    },
  );
});
