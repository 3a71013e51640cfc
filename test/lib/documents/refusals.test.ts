import { describe, expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import type { DocumentName } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { Failure } from '../../../lib/failure.ts';
import { expectedText } from '../../golden/cases.ts';

/** The documents of each brand of a golden case, and the lists of brands. */
const documentsIn = (name: string) =>
  Object.values(JSON.parse(expectedText(name)) as object).flatMap(Object.values) as (Documents &
    Documents['brands'])[];
const expectedOf = (name: string) => documentsIn('rich').find(({ prompts }) => prompts?.brand.name === name)!;

/** A brand with every document, of which the trend is cut at 120 points. */
const full = expectedOf('Ångström & Co');
/** Eight engines, four of them warming up; claude is significant, ai_overview is not. */
const young = expectedOf('Aperture').visibility;
/** Nothing was mentioned; two competitors share a name. */
const unmentioned = expectedOf('Massive Dynamic').competitors;
const brands: Documents['brands'] = documentsIn('small').find(Array.isArray)!;

const point = { date: '2020-01-06', score: 50, promptsAnswered: 2, promptsNamed: 1, answers: 2 };
const event = { date: '2026-11-01', slug: null, text: 'Another model', url: null };

function swap(items: unknown[], i: number, j: number): void {
  [items[i], items[j]] = [items[j]!, items[i]!];
}

/** What is wrong, the change of a copy that makes it so, and the beginning of the complaint. */
type Refusal<Name extends DocumentName> = [
  what: string,
  spoil: (document: Documents[Name]) => unknown,
  complaint: string,
];

function testRefusals<Name extends DocumentName>(
  name: Name,
  sound: Documents[Name],
  refusals: readonly Refusal<Name>[],
): void {
  test.each(refusals)(`${name} with %s are refused`, (_, spoil, complaint) => {
    expect(complaintsAbout(name, sound)).toEqual([]);
    const spoiled = structuredClone(sound);
    spoil(spoiled);
    const complaints = complaintsAbout(name, spoiled);
    expect(complaints.filter((line) => line.startsWith(complaint))).not.toEqual([]);
  });
}

/* The bounds, patterns and words that a field allows are in docs/openapi.json, which is compared with the schemas. */
describe('a document', () => {
  testRefusals('visibility', young, [
    ['an unknown field', (v) => Object.assign(v, { extra: 1 }), 'data: '],
    ['an id in upper case', (v) => (v.brand.id = v.brand.id.toUpperCase()), 'brand.id: expected a UUID'],
    ['a score with two decimals', (v) => (v.perEngine[0]!.score = 40.25), 'perEngine[0].score: expected at'],
    ['a day that does not exist', (v) => (v.perEngine[0]!.date = '2026-02-30'), 'perEngine[0].date: expec'],
    [
      'an alert of an engine that is not significant',
      (v) => v.alerts.push({ slug: v.perEngine[0]!.slug, score: v.perEngine[0]!.score }),
      'alerts: must be the engines of perEngine that are significant',
    ],
    ['engines out of order', (v) => swap(v.perEngine, 0, 1), 'perEngine[1]: engines must be unique'],
    ['points out of order', (v) => swap(v.trend.claude!, 0, 1), 'trend.claude[1]: points must be oldest'],
    [
      'series out of order',
      (v) => (v.trend = Object.fromEntries(Object.entries(v.trend).toReversed())),
      'trend[1]: series must be by slug',
    ],
    [
      'a model with white space',
      (v) => (v.perEngine.find(({ slug }) => slug === 'claude')!.models = [' a']),
      'perEngine[3].models[0]: expected folded',
    ],
    [
      'events out of order',
      (v) => (v.events = [{ ...event, slug: 'claude' }, event]),
      'events[1]: events must be by date',
    ],
    [
      'an event with another link',
      (v) => (v.events = [{ ...event, url: 'javascript:alert(1)' }]),
      'events[0].url: expected an http',
    ],
  ]);
  testRefusals('visibility', full.visibility, [
    [
      'a point too many',
      (v) => v.trend.claude!.unshift(point),
      'trend: must have at most 120 points, has 121',
    ],
  ]);
  testRefusals('competitors', full.competitors, [
    [
      'no row of the brand',
      (c) => (c.shareOfVoice[0]!.isBrand = false),
      'shareOfVoice: must have one row of the brand, has 0',
    ],
    ['rows out of order', (c) => swap(c.shareOfVoice, 1, 2), 'shareOfVoice[2]: rows must be by mentions'],
  ]);
  testRefusals('competitors', unmentioned, [
    ['a competitor before the brand', (c) => swap(c.shareOfVoice, 0, 1), 'shareOfVoice[1]: rows must be'],
    ['names out of order', (c) => swap(c.shareOfVoice, 2, 3), 'shareOfVoice[3]: rows must be'],
  ]);
  testRefusals('sources', full.sources, [
    ['a domain with a path', (s) => (s.sources[0]!.domain = 'a.com/b'), 'sources[0].domain: expected a host'],
    ['domains out of the order of gaps', (s) => swap(s.sources, 0, 1), 'sources[1]: domains must be by gap'],
    ['domains out of the order of citations', (s) => swap(s.sources, 4, 5), 'sources[5]: domains must be by'],
    ['domains of one gap and count out of order', (s) => swap(s.sources, 13, 14), 'sources[14]: domains mus'],
    [
      'a domain twice',
      (s) => (s.sources[1]!.domain = s.sources[0]!.domain),
      'sources[1]: a domain must be listed',
    ],
  ]);
  testRefusals('stability', full.stability, [
    [
      'names out of order',
      (s) => {
        const [names] = s.prompts.flatMap(({ engines }) => engines.map(({ core }) => core));
        names!.splice(0, names!.length, { entity: 'B', stability: 1 }, { entity: 'A', stability: 1 });
      },
      'prompts[0].engines[0].core[1]: must come in order',
    ],
  ]);
  testRefusals('results', full.results, [
    ['a prompt twice', (r) => r.prompts.push(r.prompts[0]!), 'prompts['],
  ]);
  testRefusals('prompts', full.prompts, [
    [
      'an instant without milliseconds',
      (p) => (p.prompts[0]!.createdAt = '2026-01-05T09:30:00Z'),
      'prompts[0].createdAt: expected an instant',
    ],
    ['a tag twice', (p) => (p.prompts[0]!.tags = ['a', 'a']), 'prompts[0].tags[1]: must be distinct'],
  ]);
  testRefusals('brands', brands, [
    ['a brand twice', (b) => b.push(b.at(-1)!), '[2]: must be listed once'],
    ['brands out of order', (b) => swap(b, 0, 1), '[1]: must be listed oldest first'],
  ]);
});

const columnOf = (type: string) => [{ name: 'a', type }];

describe('a table', () => {
  test.each([
    ['a row with a cell too few', { columns: columnOf('text'), rows: [[]] }, 'rows[0]: '],
    ['a text in a number', { columns: columnOf('integer'), rows: [['1']] }, 'rows[0][0]: '],
    ['a fraction in an integer', { columns: columnOf('integer'), rows: [[1], [0.5]] }, 'rows[1][0]: '],
    ['a day that does not exist', { columns: columnOf('date'), rows: [['2026-02-30']] }, 'rows[0][0]: '],
  ])('with %s is refused', (_, data, place) => {
    const [complaint, ...others] = complaintsAbout('table', data);
    expect([complaint?.startsWith(place), others]).toEqual([true, []]);
  });
});

test('instants alike in milliseconds say nothing of the order of ids', () => {
  const twins = structuredClone(brands);
  for (const brand of twins) brand.createdAt = '2026-01-05T09:30:00.000Z';
  expect(complaintsAbout('brands', twins)).toEqual([]);
  expect(complaintsAbout('brands', twins.toReversed())).toEqual([]);
});

test('an invalid document is not encoded, with one line that names it and the first complaints', () => {
  const unsound = structuredClone(full.prompts);
  for (const prompt of unsound.prompts) prompt.text = '';
  const encode = () => encodeDocument('prompts', unsound);
  expect(encode).toThrow(Failure);
  expect(encode).toThrow(/^a prompts document is invalid: prompts\[0\]\.text: [^\n]+ \(and \d+ more\)$/);
});
