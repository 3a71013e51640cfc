import * as fc from 'fast-check';
import { brandNames, links, names, questions, readableUrls, urls } from './names.ts';

const sourceTypes = ['ugc', 'forum', 'corporate', 'listicle', 'review', 'news', 'docs', 'other'] as const;

/** The instants as of which the jobs are asked; the other ones are laid around them. */
export const asOf = '2026-11-16T06:00:00Z';

const kinds = ['workspace', 'brand', 'prompt', 'competitor', 'run', 'event'] as const;
type Kind = (typeof kinds)[number];

/** Small pools, so that records meet: the n-th id of a kind. */
export function idOf(kind: Kind, n: number): string {
  const place = kinds.indexOf(kind) + 1;
  // Ids of each kind stand in no order of their numbers.
  const mixed = ((n * 7 + 3) % 16).toString(16);
  return `${mixed}${place}a00000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Low numbers are drawn more often, so that some brand has many runs of one prompt. */
const ids = (kind: Kind, count: number) => {
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
  '2026-11-06T06:00:00Z',
  '2026-11-06T06:00:00.000001Z',
  '2026-09-17T06:00:00Z',
  '2026-09-17T08:00:00.000001+02:00',
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
  '2026-11-06',
  '2026-11-07',
  '2026-11-09',
  '2026-11-16',
  '2026-11-17',
);

export const workspaces = fc.record({ id: ids('workspace', 4), name: names, created_at: created });
export const brands = fc.record(
  {
    id: ids('brand', 8),
    workspace_id: ids('workspace', 4),
    name: brandNames,
    domain: urls,
    created_at: created,
  },
  { requiredKeys: ['id', 'workspace_id', 'name', 'created_at'] },
);
export const competitors = fc.record({ id: ids('competitor', 24), brand_id: ids('brand', 8), name: names });
const tags = fc.array(fc.oneof(names, fc.constantFrom('', ' ', 'new', ' new ', 'x'.repeat(100))), {
  maxLength: 4,
});
export const prompts = fc.record(
  {
    id: ids('prompt', 24),
    brand_id: ids('brand', 8),
    text: questions,
    is_active: fc.constantFrom(true, true, false),
    created_at: created,
    tags: fc.oneof(tags, fc.constantFrom(null, Array(50).fill('many'), Array(51).fill('too many'))),
  },
  { requiredKeys: ['id', 'brand_id', 'text', 'is_active', 'created_at'] },
);
const engineOf = fc.constantFrom('ai_mode', 'perplexity', 'chatgpt', 'grok');
export const events = fc.record(
  {
    id: ids('event', 8),
    workspace_id: fc.oneof(fc.constant(null), ids('workspace', 5)),
    engine: fc.oneof(fc.constant(null), engineOf),
    date: fc.constantFrom('2026-10-04', '2026-10-05', '2026-11-03', '2026-11-16', '2026-11-17'),
    text: names,
    url: fc.oneof(fc.constant(null), links),
  },
  { requiredKeys: ['id', 'date', 'text'] },
);

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
  engine: engineOf,
  cycle_date: cycles,
  ran_at: fc.constantFrom(...edges),
  model: fc.constantFrom(null, '', 'm-1', ' m-1\u00a0', 'M-1', 'm-2'),
  answer_url: fc.oneof(fc.constant(null), links),
  answer_sha256: fc.constantFrom(null, '0123456789abcdef'.repeat(4), '0123456789ABCDEF'.repeat(4)),
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
