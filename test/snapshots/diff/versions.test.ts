import { describe, expect, test } from 'vitest';
import type { Results } from '../../../lib/documents/results.ts';
import type { Week } from '../../../snapshots/diff/causes.ts';
import { diffBrand } from '../../../snapshots/diff/diff.ts';
import type { JudgedChange } from '../../../snapshots/diff/diff.ts';
import { wonAndLost, wonAndLostThisWeek } from '../../../snapshots/pages/won-lost.ts';
import { added as addedFields, withoutEvidence } from '../evidence.ts';
import { brand, weekOf } from '../weeks.ts';
import type { Counts } from '../weeks.ts';

/** The same week as an older version published it, without counts and results. */
function asPublishedEarlier(week: Week): Week {
  const documents = withoutEvidence(week.documents);
  delete documents.results;
  return { ...week, documents };
}

/** The changes of values that both versions publish. */
function withoutNew(changes: readonly JudgedChange[]) {
  return changes
    .filter(({ path, change }) => change !== 'field_added' && !path.some((field) => addedFields.has(field)))
    .map(({ place, label, oldText }) => [place, label, oldText]);
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
      'Share of voice › answers that name the brand (field added)',
      'Share of voice › behind the first row (field added)',
      'Share of voice › leaders by prompt (field added)',
      'Share of voice › lower end of the interval of the presence (field added)',
      'Share of voice › presence in answers (field added)',
      'Share of voice › upper end of the interval of the presence (field added)',
      'Visibility › answers (field added)',
      'Visibility › answers (field added)',
      'Visibility › answers that name the brand (field added)',
      'Visibility › earlier scores (field added)',
      'Visibility › events (field added)',
      'Visibility › models (field added)',
      'Visibility › models changed (field added)',
      'Visibility › prompts answered (field added)',
      'Visibility › prompts that name the brand (field added)',
      'Visibility › prompts without the name of the brand (field added)',
      'Visibility › same prompts (field added)',
      'Visibility › weekly scores › answers (field added)',
      'Visibility › weekly scores › prompts answered (field added)',
      'Visibility › weekly scores › prompts that name the brand (field added)',
      'Won and lost (field added)',
    ]);
  });

  test('keeps judgements and causes of all other values', () => {
    const loud: Counts = { named: [0, 10, 10], mentions: [200, 50, 50, 50] };
    const after = weekOf([...Array.from({ length: 8 }, () => quiet), loud]);
    const fromEarlier = diffBrand(brand, asPublishedEarlier(week), after).changes;
    const judged = withoutNew(diffBrand(brand, week, after).changes);
    expect(judged.length).toBeGreaterThan(10);
    expect(withoutNew(fromEarlier)).toEqual(judged);
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
    evidence: [],
    ...fields,
  });
  const resultsOf = (...entries: Engine[]): Results => ({
    brand,
    prompts: [{ promptId: 'p1', promptText: 'Which?', engines: entries }],
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

  test('of one document are those of its newest week, without engines that no longer run', () => {
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
