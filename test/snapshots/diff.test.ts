import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibilityOf } from '../../jobs/weekly/documents/visibility/visibility.ts';
import type { ScoreRow } from '../../jobs/weekly/documents/visibility/visibility.ts';
import type { Competitors, Results, Visibility } from '../../lib/documents/index.ts';
import { engineSlugs } from '../../lib/methodology.ts';
import { shareOfVoice as sharesOf } from '../../lib/methodology/share-of-voice.ts';
import type { Week } from '../../snapshots/diff/causes.ts';
import { changesBetween } from '../../snapshots/diff/changes.ts';
import { diffBrand } from '../../snapshots/diff/diff.ts';
import type { JudgedChange } from '../../snapshots/diff/diff.ts';
import { wonAndLost, wonAndLostThisWeek } from '../../snapshots/diff/won-lost.ts';
import { withoutEvidence } from './evidence.ts';
import { fieldWords, placeInWords, valueInWords } from '../../snapshots/diff/words.ts';
import { documentSchemas } from '../../lib/documents/schemas.ts';
import type { DocumentName } from '../../lib/documents/kinds.ts';
import { z } from 'zod';

const brand = { id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01', name: 'Acme', domain: 'acme.example' };

const engines = engineSlugs.slice(0, 3);
const dateOf = (cycle: number) =>
  new Date(Date.UTC(2026, 0, 5) + cycle * 7 * 86_400_000).toISOString().slice(0, 10);

/** The counts of one week: prompts named out of those answered, for each engine, and mentions of each name. */
const counts = fc.record({
  named: fc.tuple(...engines.map(() => fc.nat(20))),
  mentions: fc.oneof(
    { arbitrary: fc.constant<number[]>([0, 0, 0, 0]), weight: 1 },
    { arbitrary: fc.tuple(...Array.from({ length: 4 }, () => fc.oneof(fc.nat(3), fc.nat(400)))), weight: 9 },
  ),
});
interface Counts {
  named: number[];
  mentions: number[];
}

/** A week as the job publishes it, from the counts of every week up to it. */
function weekOf(history: readonly Counts[]): Week {
  const scores = engines.flatMap((engine, index) =>
    history.map(({ named }, cycle): ScoreRow => ({
      slug: engine,
      date: dateOf(cycle),
      promptsAnswered: 20,
      promptsNamed: named[index]!,
      inTrend: true,
    })),
  );
  const mentions = history.at(-1)!.mentions;
  const shares = mentions.map((count, index) => ({
    name: index === 0 ? brand.name : `Rival ${index}`,
    isBrand: index === 0,
    mentions: count,
  }));
  const ordered = shares.toSorted((a, b) => b.mentions - a.mentions || Number(b.isBrand) - Number(a.isBrand));
  const total = mentions.reduce((sum, count) => sum + count, 0);
  return {
    asOf: `${dateOf(history.length - 1)}T12:00:00.000Z`,
    methodologyVersion: '1.0',
    documents: {
      visibility: { brand, ...visibilityOf({ scores, noAnswers: [], signals: [] }) },
      competitors: { brand, ...sharesOf(ordered, total), answers: total },
      stability: { brand, minCycles: 4, prompts: [] },
      sources: { brand, sources: [] },
      results: { brand, prompts: [] },
      prompts: { brand, prompts: [] },
    },
  };
}

/** Two weeks of one history: most often one after the other, sometimes further apart. */
const twoWeeks = fc
  .tuple(
    fc.array(counts, { minLength: 2, maxLength: 12 }),
    fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 11 })),
  )
  .map(([history, apart]) => {
    const before = weekOf(history.slice(0, Math.max(1, history.length - apart)));
    return { before, after: weekOf(history) };
  });

const runs = { numRuns: 1500 };
const changesOf = (before: Week, after: Week) => diffBrand(brand, before, after).changes;
const scoreOf = ({ perEngine }: Visibility, slug: string) =>
  perEngine.find((engine) => engine.slug === slug)!;
const rowOf = ({ shareOfVoice }: Competitors, key: string) =>
  shareOfVoice.find((row) => (key === 'the brand' ? row.isBrand : !row.isBrand && row.name === key))!;

test('a score is called moved, noise or undecided exactly as the newer drift band says', () => {
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
        expect(label === 'within noise').toBe(holdsBoth);
        expect(holdsBoth && now.isSignificant).toBe(false);
      }
    }),
    runs,
  );
  expect(seen).toEqual(new Set(['moved', 'within noise', 'insufficient data']));
});

test('a share is called moved exactly where the two published intervals do not touch, whichever week is the newer', () => {
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

test('ties, leaders, order, alerts and the overall score never say more than the rows they follow from', () => {
  fc.assert(
    fc.property(twoWeeks, ({ before, after }) => {
      const changes = changesOf(before, after);
      const moved = changes.filter(({ label }) => label === 'moved').map(({ path }) => path);
      const hasShare = moved.some(([part, , field]) => part === 'shareOfVoice' && field === 'sovPct');
      const ofShares = moved.filter(([part]) => part === 'shareOfVoice' || part === 'leaders');
      // A share may stay the same to a decimal while its interval moves; then its bounds are told as moved.
      const hasBound = moved.some(([, , field]) => field === 'lowPct' || field === 'highPct');
      expect(ofShares.length > 0).toBe(hasShare || hasBound);
      const hasScore = moved.some(([part, , field]) => part === 'perEngine' && field === 'score');
      const isOverall = moved.some(([part]) => part === 'overallVisibility');
      expect(isOverall && !hasScore).toBe(false);
      const newAlerts = changes.filter(({ path, change }) => path[0] === 'alerts' && change === 'added');
      expect(newAlerts.every(({ label }) => label === 'moved')).toBe(true);
    }),
    runs,
  );
});

test('every field of every document has words', () => {
  const fields = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('properties' in schema) for (const name of Object.keys(schema.properties as object)) fields.add(name);
    for (const value of Object.values(schema)) collect(value);
  };
  for (const schema of Object.values(documentSchemas)) collect(z.toJSONSchema(schema, { io: 'input' }));
  for (const slug of engineSlugs) fields.delete(slug);
  expect(fields.size).toBeGreaterThan(40);
  expect([...fields].filter((field) => fieldWords[field] === undefined)).toEqual([]);
});

test('a change is named in words: prompts by their text, engines by their name, and never a name by its field', () => {
  const names = new Map([['p1', '“Which jacket?”']]);
  const words = (document: DocumentName, ...path: string[]) =>
    placeInWords(
      document,
      { path, change: 'changed', pointer: '', pointerBefore: null, old: 1, new: 2 },
      names,
    );
  expect(words('stability', 'prompts', 'p1', 'engines', 'ai_mode', 'core', 'score', 'stability')).toBe(
    'Core and carousel › “Which jacket?” › Google AI Mode › core › score › share of cycles',
  );
  expect(words('visibility', 'trend', 'chatgpt', '2026-11-16', 'score')).toBe(
    'Visibility › weekly scores › ChatGPT › 2026-11-16 › score',
  );
  expect(valueInWords({ slug: 'claude', promptId: 'p1', isActive: true }, names)).toBe('Claude, active yes');
});

function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce((value, token) => (value as Record<string, unknown>)[token], document);
}

test('every pointer leads to the value it tells of, in the week it tells of', () => {
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
    { numRuns: 300 },
  );
});

const rows = fc.uniqueArray(fc.record({ id: fc.constantFrom('a', 'b', 'c', '~/d'), n: fc.nat(2) }), {
  selector: ({ id }) => id,
});

test('two documents without a change are the same, and the other way round', () => {
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const changes = changesBetween('prompts', { prompts: before }, { prompts: after });
      expect(changes.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
    }),
    runs,
  );
});

/** The same week as a version published it that had neither counts nor results. */
function asPublishedEarlier(week: Week): Week {
  const documents = withoutEvidence(week.documents);
  delete documents.results;
  return { ...week, documents };
}

describe('a snapshot of a version without counts and results', () => {
  const quiet: Counts = { named: [10, 10, 10], mentions: [50, 50, 50, 50] };
  const week = weekOf(Array.from({ length: 8 }, () => quiet));

  test('has each new field added once, and nothing changed', () => {
    const changes = diffBrand(brand, asPublishedEarlier(week), week).changes;
    expect(new Set(changes.map(({ change, label }) => `${change}: ${label}`))).toEqual(
      new Set(['field_added: field added']),
    );
    expect(changes.map(({ place }) => place).toSorted()).toEqual([
      'Share of voice › answers (field added)',
      'Visibility › answers (field added)',
      'Visibility › answers that name the brand (field added)',
      'Visibility › earlier scores (field added)',
      'Visibility › prompts answered (field added)',
      'Visibility › prompts that name the brand (field added)',
      'Visibility › weekly scores › prompts answered (field added)',
      'Visibility › weekly scores › prompts that name the brand (field added)',
      'Won and lost (field added)',
    ]);
  });

  test('keeps what the numbers say, and the causes, of all other values', () => {
    const loud: Counts = { named: [0, 10, 10], mentions: [200, 50, 50, 50] };
    const after = weekOf([...Array.from({ length: 8 }, () => quiet), loud]);
    const without = (changes: readonly JudgedChange[]) =>
      changes
        .filter(
          ({ path, change }) => change !== 'field_added' && !/^(?:prompts|prior|answers)/.test(path.at(-1)!),
        )
        .map(({ place, label, oldText }) => [place, label, oldText]);
    const fromEarlier = diffBrand(brand, asPublishedEarlier(week), after).changes;
    const judged = without(diffBrand(brand, week, after).changes);
    expect(judged.length).toBeGreaterThan(10);
    expect(without(fromEarlier)).toEqual(judged);
    const other = { ...after, methodologyVersion: '2.0' };
    const added = diffBrand(brand, asPublishedEarlier(week), other).changes.filter(
      ({ change }) => change === 'field_added',
    );
    expect(added.every(({ label, causes }) => label === 'field added' && causes.length === 0)).toBe(true);
  });
});

describe('won and lost', () => {
  type Engine = Results['prompts'][number]['engines'][number];
  const entry = (slug: Engine['slug'], position: number | null, fields: Partial<Engine> = {}): Engine => ({
    slug,
    date: '2026-11-16',
    isNamed: position !== null,
    position,
    previousDate: null,
    wasNamed: null,
    previousPosition: null,
    change: 'new',
    ...fields,
  });
  const resultsOf = (...engines: Engine[]): Results => ({
    brand,
    prompts: [{ promptId: 'p1', promptText: 'Which?', engines }],
  });

  test('are the prompts on engines that name the brand in one of the two weeks, won first', () => {
    const before = resultsOf(
      entry('ai_mode', 3),
      entry('chatgpt', null),
      entry('claude', 1),
      entry('gemini', null),
      entry('grok', 1),
    );
    const after = resultsOf(
      entry('ai_mode', null),
      entry('chatgpt', 2),
      entry('claude', 5),
      entry('gemini', null),
      entry('perplexity', 1),
    );
    const found = wonAndLost(before, after);
    expect(found.map(({ change, slug, position }) => [change, slug, position])).toEqual([
      ['won', 'chatgpt', 2],
      ['lost', 'ai_mode', 3],
    ]);
    expect(wonAndLost(undefined, after)).toEqual([]);
    expect(wonAndLost(before, undefined)).toEqual([]);
  });

  test('of one document are those of its newest week: an engine that no longer runs keeps its last change', () => {
    const fields = { previousDate: '2026-11-09', wasNamed: false, change: 'won' } as const;
    const lost = { previousDate: '2026-11-09', wasNamed: true, previousPosition: 4, change: 'lost' } as const;
    const results = resultsOf(
      entry('ai_mode', null, lost),
      entry('chatgpt', 2, fields),
      entry('claude', 2, { ...fields, date: '2026-11-09', previousDate: '2026-11-02' }),
    );
    expect(wonAndLostThisWeek(results).map(({ change, slug, position }) => [change, slug, position])).toEqual(
      [
        ['won', 'chatgpt', 2],
        ['lost', 'ai_mode', 4],
      ],
    );
  });
});

describe('causes stand above what the numbers say', () => {
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

  test('a prompt that was added, paused or worded otherwise makes scores and shares incomparable', () => {
    const prompt = {
      id: '7d6f3f3e-8d5b-4a0e-9d57-1c8f7a5a1c02',
      text: 'Which?',
      isActive: true,
      createdAt: '2026-01-06T09:30:00.000Z',
    };
    const week = { ...after, documents: { ...after.documents, prompts: { brand, prompts: [prompt] } } };
    expect([labelOf(week, ...score), labelOf(week, ...share)]).toEqual(Array(2).fill('prompts changed'));
    const paused = { brand, prompts: [{ ...prompt, isActive: false }] };
    expect(labelOf({ ...after, documents: { ...after.documents, prompts: paused } }, ...score)).toBe('moved');
  });

  test('another competitor makes shares incomparable, not scores', () => {
    const competitors = structuredClone(after.documents.competitors);
    competitors.shareOfVoice.find((row) => row.name === 'Rival 1')!.name = 'Rival 9';
    const week = { ...after, documents: { ...after.documents, competitors } };
    expect([labelOf(week, ...score), labelOf(week, ...share)]).toEqual(['moved', 'competitors changed']);
  });

  test('an engine that ran no more makes shares and the mean incomparable, not the scores of the others', () => {
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

  test('another name or website of the brand is told, and hides no movement', () => {
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
