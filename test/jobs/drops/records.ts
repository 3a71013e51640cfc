import * as fc from 'fast-check';
import { sourceTypes } from '../../../lib/methodology/constants.ts';
import { names, readableUrls, urls } from './names.ts';

/** The instants as of which the jobs are asked; the other ones are laid around them. */
export const asOf = '2026-11-16T06:00:00Z';

export type Record_ = Record<string, unknown>;

/** Small pools, so that records meet: the n-th id of a kind. */
export function idOf(kind: 'workspace' | 'brand' | 'prompt' | 'competitor' | 'run', n: number): string {
  const place = ['workspace', 'brand', 'prompt', 'competitor', 'run'].indexOf(kind) + 1;
  // Ids of each kind stand in no order of their numbers.
  const mixed = ((n * 7 + 3) % 16).toString(16);
  return `${mixed}${place}a00000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Low numbers are drawn more often, so that some brand has many runs of one prompt. */
const ids = (kind: Parameters<typeof idOf>[0], count: number) => {
  const number = fc.nat({ max: count - 1 });
  return fc
    .tuple(number, number, number, fc.boolean())
    .map(([a, b, c, loud]) => Math.min(a, b, c) * (loud ? -1 : 1))
    .map((n) => (n < 0 ? idOf(kind, -n).toUpperCase() : idOf(kind, n)));
};

const edges = [
  '2026-11-16T06:00:00Z',
  '2026-11-16T06:00:00.000001Z',
  '2026-11-16T06:00:00.0000009Z',
  '2026-11-16T05:59:59.999999Z',
  '2026-11-02T06:00:00Z',
  '2026-11-02T06:00:00.000000999Z',
  '2026-11-02T06:00:00.000001Z',
  '2026-11-02T07:30:00.001+01:30',
  '2026-11-15T20:00:00-10:00',
  '2026-11-09t06:00:00z',
  '2026-11-10T06:00:00.5Z',
  '2026-10-01T06:00:00Z',
  '2026-11-20T06:00:00Z',
];
const created = fc.constantFrom(
  '2026-01-05T09:30:00Z',
  '2026-01-05T10:30:00.0000+01:00',
  '2026-01-05T09:30:00.0005Z',
  ...edges,
);
const cycles = fc.constantFrom(
  '2026-10-05',
  '2026-10-12',
  '2026-10-19',
  '2026-10-26',
  '2026-11-02',
  '2026-11-09',
  '2026-11-16',
  '2026-11-17',
);

export const workspaces = fc.record({ id: ids('workspace', 4), name: names, created_at: created });
export const brands = fc.record(
  { id: ids('brand', 8), workspace_id: ids('workspace', 4), name: names, domain: urls, created_at: created },
  { requiredKeys: ['id', 'workspace_id', 'name', 'created_at'] },
);
export const competitors = fc.record({ id: ids('competitor', 24), brand_id: ids('brand', 8), name: names });
export const prompts = fc.record({
  id: ids('prompt', 24),
  brand_id: ids('brand', 8),
  text: names,
  is_active: fc.constantFrom(true, true, false),
  created_at: created,
});

const feelings = fc.constantFrom('positive', 'neutral', 'negative', null);
const mention = fc.oneof(
  fc.record(
    {
      name: names,
      subject: fc.constantFrom('brand', 'other'),
      position: fc.integer({ min: 1, max: 9 }),
      sentiment: feelings,
    },
    { requiredKeys: ['name', 'subject', 'position'] },
  ),
  fc.record(
    {
      name: names,
      subject: fc.constantFrom('competitor', 'competitor', 'other'),
      competitor_id: ids('competitor', 26),
      position: fc.integer({ min: 1, max: 9 }),
      sentiment: feelings,
    },
    { requiredKeys: ['name', 'subject', 'competitor_id', 'position'] },
  ),
);
const citation = fc.record({ url: readableUrls, source_type: fc.constantFrom(...sourceTypes) });

const runHead = {
  id: fc.nat({ max: 1000 }).map((n) => idOf('run', n)),
  brand_id: ids('brand', 8),
  prompt_id: ids('prompt', 26),
  engine: fc.constantFrom('ai_mode', 'perplexity', 'chatgpt', 'grok'),
  cycle_date: cycles,
  ran_at: fc.constantFrom(...edges),
};
const required = ['id', 'brand_id', 'prompt_id', 'engine', 'cycle_date', 'ran_at', 'status'] as const;
export const runs = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        ...runHead,
        status: fc.constant('success'),
        mentions: fc.array(mention, { maxLength: 5 }),
        citations: fc.array(citation, { maxLength: 4 }),
      },
      { requiredKeys: [...required] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        ...runHead,
        status: fc.constantFrom('no_answer', 'failed'),
        mentions: fc.constantFrom([], null),
        citations: fc.constantFrom([], null),
      },
      { requiredKeys: [...required] },
    ),
  },
);
