import { describe, expect, test } from 'vitest';
import type { Results } from '../../../lib/documents/results.ts';
import { wonAndLost, wonAndLostThisWeek } from '../../../lib/weeks/won-lost.ts';
import { brand } from '../../snapshots/weeks.ts';

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
  });

  test('of one document are those of its newest week, without engines that no longer run', () => {
    const fields = { previousDate: '2026-11-09', wasNamed: false, change: 'won' } as const;
    const lost = { previousDate: '2026-11-09', wasNamed: true, previousPosition: 4, change: 'lost' } as const;
    const results = resultsOf(
      entry('ai_mode', null, lost),
      entry('chatgpt', 2, fields),
      entry('claude', 2, { ...fields, date: '2026-11-09', previousDate: '2026-11-02' }),
    );
    const found = wonAndLostThisWeek(results, '2026-11-17T06:00:00.000Z')!;
    expect(found.map(({ change, slug, position }) => [change, slug, position])).toEqual([
      ['won', 'chatgpt', 2],
      ['lost', 'ai_mode', 4],
    ]);
  });
});
