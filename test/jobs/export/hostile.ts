import * as fc from 'fast-check';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../../lib/methodology/constants.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import type { GivenBrand, GivenWeek } from './published.ts';

/** Texts that other programs take for something else. */
export const hostileTexts = [
  '=1+1',
  '=HYPERLINK("http://evil.example";"x")',
  '+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\ufeff=1',
  '＝1',
  "'=1",
  "''",
  "'tis",
  '"quoted"',
  'a,b;c',
  'line\nbreak',
  'all\r\nkinds\rof\n',
  '007',
  '1e5',
  '12.50',
  'true',
  '2026-01-05',
  'NULL',
  ' blanks ',
  'é e\u0301',
  '😀 مرحبا \u202eabc',
  'tab\tbed',
  '\u0000\u0001\u001f',
  '_x000D_ _x005F_',
  '<b>&amp;</b>',
  ']]>',
  '\ufffe\uffff',
  '{"data":null}',
];

const text = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom('=', "'", '-', '\t', '\r', '\n', '"', ',', ' ', 'a'),
    minLength: 1,
    maxLength: 5,
  }),
);
const count = fc.nat(1_000_000);
const oneDecimal = fc.integer({ min: 0, max: 1000 }).map((n) => n / 10);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const date = fc.constantFrom('2025-12-29', '2026-01-05', '2026-02-28');
const instant = fc.constantFrom(
  '2026-01-05T09:30:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '2026-02-28T23:59:59.990Z',
);
const change = fc.constantFrom('new', 'won', 'lost', 'kept', 'absent');
const placement = fc.constantFrom('core', 'emerging', 'carousel', 'absent');
const slugs = fc.uniqueArray(fc.constantFrom(...engineSlugs), { maxLength: 3 });
const listed = <T>(item: fc.Arbitrary<T>, maxLength = 3) => fc.array(item, { maxLength });
const score = { date, score: oneDecimal, promptsAnswered: count, promptsNamed: count };

const series = fc
  .uniqueArray(fc.record(score), { selector: (point) => point.date, minLength: 1, maxLength: 3 })
  .map((points) => points.toSorted((a, b) => (a.date < b.date ? -1 : 1)));

const visibility = fc.record({
  overallVisibility: oneDecimal,
  perEngine: listed(
    fc.record({
      slug: fc.constantFrom(...engineSlugs),
      isWebGrounded: fc.boolean(),
      ...score,
      bandLow: orNull(oneDecimal),
      bandHigh: orNull(oneDecimal),
      isSignificant: fc.boolean(),
      isWarmingUp: fc.boolean(),
      noAnswerRate: orNull(oneDecimal),
      priorScores: fc.nat(12),
    }),
  ),
  trend: slugs.chain((keys) =>
    fc.record(Object.fromEntries(keys.map((slug) => [slug, series])) as Record<EngineSlug, typeof series>),
  ),
  events: listed(fc.record({ date, slug: orNull(fc.constantFrom(...engineSlugs)), text, url: orNull(text) })),
  signals: fc.record({
    netSentiment: orNull(fc.integer({ min: -100, max: 100 })),
    positive: count,
    neutral: count,
    negative: count,
    avgPosition: orNull(oneDecimal),
    mentions: count,
    answers: count,
    answersNaming: count,
  }),
});
const named = fc.record({
  entity: text,
  stability: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 10_000),
});
const prompts = <T>(engine: fc.Arbitrary<T>) =>
  fc.record({
    prompts: listed(fc.record({ promptId: fc.uuid(), promptText: text, engines: listed(engine) })),
  });
const stability = prompts(
  fc.record({
    slug: fc.constantFrom(...engineSlugs),
    cyclesObserved: fc.integer({ min: 1, max: 104 }),
    isWarmingUp: fc.boolean(),
    brandPlacement: placement,
    brandStability: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 10_000),
    core: listed(named, 2),
    carousel: listed(named),
  }),
);
const results = prompts(
  fc.record({
    slug: fc.constantFrom(...engineSlugs),
    date,
    isNamed: fc.boolean(),
    position: orNull(count),
    previousDate: orNull(date),
    wasNamed: orNull(fc.boolean()),
    previousPosition: orNull(count),
    change,
  }),
);
const competitors = fc.record({
  shareOfVoice: listed(
    fc.record({
      name: text,
      isBrand: fc.boolean(),
      mentions: count,
      sovPct: oneDecimal,
      lowPct: oneDecimal,
      highPct: oneDecimal,
      halfWidthPp: oneDecimal,
      tiedWithBrand: fc.boolean(),
      tiedForLead: fc.boolean(),
    }),
  ),
  totalMentions: count,
  noiseFloorPp: oneDecimal,
});
const sources = fc.record({
  sources: listed(
    fc.record({
      domain: text,
      count,
      sourceType: fc.constantFrom('ugc', 'docs', 'other'),
      competitorMentions: count,
      brandMentions: count,
      gap: fc.integer({ min: -1000, max: 1000 }),
      answers: count,
      isOwnDomain: fc.boolean(),
    }),
  ),
});
const promptList = fc.record({
  prompts: listed(fc.record({ id: fc.uuid(), text, isActive: fc.boolean(), createdAt: instant })),
});

/** `results` may be missing, as in snapshots of before it was added. */
const documents = fc.record(
  { visibility, stability, competitors, sources, results, prompts: promptList },
  { requiredKeys: ['visibility', 'stability', 'competitors', 'sources', 'prompts'] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<GivenBrand['documents']>;

const brand = fc.record({
  brand: fc.record({
    id: fc.uuid(),
    name: text,
    domain: fc.oneof(text, fc.constant('')),
    createdAt: instant,
  }) satisfies fc.Arbitrary<Documents['brands'][number]>,
  documents,
});

/** Some weeks of one workspace, with texts that other programs take for something else. */
export const hostileWeeks: fc.Arbitrary<GivenWeek[]> = fc
  .array(
    fc.record({
      workspaceName: orNull(text),
      brands: fc.uniqueArray(brand, { selector: (given) => given.brand.id, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((weeks) =>
    weeks.map((week, index) => ({
      ...week,
      asOf: new Date(Date.parse('2026-01-05T06:00:00.000Z') + index * 7 * 86_400_000).toISOString(),
    })),
  );
