import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import type { DocumentName } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { Failure } from '../../../lib/failure.ts';
import { cellTypes } from '../../../lib/tables/names.ts';
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
const [{ week }] = Object.values(JSON.parse(expectedText('rich')) as Record<string, Documents>) as [
  Documents,
];

const point = { date: '2020-01-06', score: 50, promptsAnswered: 2, promptsNamed: 1, answers: 2 };
const event = { date: '2026-11-01', slug: null, text: 'Another model', url: null };
const unordered = ['B', 'A'].map((entity) => ({ entity, stability: 1 }));
const silent = (slug: 'chatgpt' | 'claude') => ({ slug, lastAnswered: null, runs: 1 });

function swap(items: unknown[], i: number, j: number): void {
  [items[i], items[j]] = [items[j]!, items[i]!];
}

const refused: string[] = [];

/** Keeps the complaints about a document after each change of it. */
function refuse<Name extends DocumentName>(
  name: Name,
  sound: Documents[Name],
  changes: Record<string, (document: Documents[Name]) => unknown>,
): void {
  expect(complaintsAbout(name, sound)).toEqual([]);
  for (const [what, change] of Object.entries(changes)) {
    const spoiled = structuredClone(sound);
    change(spoiled);
    const complaints = complaintsAbout(name, spoiled);
    expect([what, complaints]).not.toEqual([what, []]);
    refused.push(`${name} with ${what}`, ...complaints.map((complaint) => `  ${complaint}`));
  }
}

/* The bounds, patterns and words that a field allows are in docs/openapi.json, which is compared with the schemas. */
test('documents that break a rule are refused with the complaints of golden/refusals.txt', async () => {
  refuse('visibility', young, {
    'an unknown field': (v) => Object.assign(v, { extra: 1 }),
    'an id in upper case': (v) => (v.brand.id = v.brand.id.toUpperCase()),
    'a score with two decimals': (v) => (v.perEngine[3]!.score = 40.25),
    'a day that does not exist': (v) => (v.perEngine[0]!.date = '2026-02-30'),
    'a model with white space': (v) => (v.perEngine.find(({ slug }) => slug === 'claude')!.models = [' a']),
    'an alert of an engine that is not significant': ({ alerts, perEngine: [first] }) =>
      alerts.push({ slug: first!.slug, score: first!.score }),
    'no alert of an engine that is significant': (v) => v.alerts.pop(),
    'an alert of another engine': (v) => (v.alerts[0]!.slug = 'grok'),
    'an alert with another score': (v) => (v.alerts[0]!.score = 1),
    'engines out of order': (v) => swap(v.perEngine, 0, 1),
    'an engine twice': (v) => v.perEngine.splice(1, 0, v.perEngine[0]!),
    'points out of order': (v) => swap(v.trend.claude!, 0, 1),
    'two points of a day': (v) => (v.trend.claude![1]!.date = v.trend.claude![0]!.date),
    'series out of order': (v) => (v.trend = Object.fromEntries(Object.entries(v.trend).toReversed())),
    'events out of order': (v) => (v.events = [{ ...event, slug: 'claude' }, event]),
    'events of a day out of order': (v) => (v.events = ['B', 'A'].map((text) => ({ ...event, text }))),
    'an event with another link': (v) => (v.events = [{ ...event, url: 'javascript:alert(1)' }]),
    'an engine that moved twice': (v) => (v.moved = ['claude', 'claude']),
    'an engine that moved and was not compared': ({ moved, perEngine }) => {
      moved.push(perEngine[0]!.slug);
      perEngine[0]!.samePrompts = null;
    },
    'silent engines out of order': (v) => (v.silent = [silent('claude'), silent('chatgpt')]),
  });
  refuse('visibility', full.visibility, { 'a point too many': (v) => v.trend.claude!.unshift(point) });
  refuse('competitors', full.competitors, {
    'no row of the brand': (c) => (c.shareOfVoice[0]!.isBrand = false),
    'rows out of order': (c) => swap(c.shareOfVoice, 1, 2),
    'engines out of order': (c) => swap(c.perEngine, 0, 1),
    'another number of answers': (c) => (c.answers += 1),
    'another number of mentions': (c) => (c.totalMentions += 1),
    'a row whose engines are out of order': (c) => swap(c.shareOfVoice[0]!.perEngine, 0, 1),
    'a row without an engine': (c) => c.shareOfVoice[2]!.perEngine.pop(),
    'a row with an engine more': ({ shareOfVoice: [row] }) =>
      row!.perEngine.push({ ...row!.perEngine[0]!, mentions: 0, answersNaming: 0 }),
    'a row with other mentions': (c) => (c.shareOfVoice[1]!.perEngine[0]!.mentions += 1),
    'a row with other answers': (c) => (c.shareOfVoice[1]!.perEngine[0]!.answersNaming += 1),
  });
  refuse('competitors', unmentioned, {
    'a competitor before the brand': (c) => swap(c.shareOfVoice, 0, 1),
    'names out of order': (c) => swap(c.shareOfVoice, 2, 3),
  });
  refuse('sources', full.sources, {
    'a domain with a path': (s) => (s.sources[0]!.domain = 'a.com/b'),
    'domains out of the order of gaps': (s) => swap(s.sources, 0, 1),
    'domains out of the order of citations': (s) => swap(s.sources, 4, 5),
    'domains of one gap and count out of order': (s) => swap(s.sources, 13, 14),
    'a row twice': (s) => (s.sources[1] = s.sources[0]!),
    'more answers that cite than answers': (s) => (s.answersCiting = s.answers + 1),
    'fewer domains than are listed': (s) => (s.domains = s.sources.length - 1),
    'engines out of order': (s) => swap(s.ownSite!.perEngine, 0, 1),
    'other answers by engine': (s) => (s.ownSite!.perEngine[0]!.answers += 1),
    'other answers that cite by engine': (s) => (s.ownSite!.perEngine[0]!.answersCiting += 1),
    'other answers that cite the own site': (s) => (s.ownSite!.answers += 1),
    'more citations of the own site than citations': (s) => (s.ownSite!.citations = s.citations + 1),
  });
  refuse('timeline', full.timeline, {
    'engines out of order': (t) => swap(t.engines, 0, 1),
    'a date twice': (t) => (t.engines[0]!.dates[1] = t.engines[0]!.dates[0]!),
    'a missing number of prompts': (t) => t.engines[0]!.promptsAnswered.pop(),
    'a missing number of answers': (t) => t.engines[0]!.answers.pop(),
    'the brand twice': (t) => t.names.push(t.names[0]!),
    'names out of order': (t) => swap(t.names, 1, 3),
    'a name whose engines are out of order': (t) => swap(t.names[0]!.engines, 0, 1),
    'a name without an engine': (t) => t.names[1]!.engines.pop(),
    'a name with an engine more': (t) => t.names[1]!.engines.push(t.names[1]!.engines[0]!),
    'a name without a cycle': (t) => t.names[1]!.engines[0]!.promptsNamed.pop(),
    'a name in more prompts than were answered': ({ engines, names }) =>
      (names[1]!.engines[0]!.promptsNamed[0] = engines[0]!.promptsAnswered[0]! + 1),
  });
  refuse('stability', full.stability, {
    'a prompt twice': (s) => s.prompts.push(s.prompts[0]!),
    'engines out of order': (s) => swap(s.prompts[0]!.engines, 0, 1),
    'a brand in more cycles than there are': (s) => (s.prompts[0]!.engines[0]!.brandStability = 1.01),
    'names of the core out of order': (s) => (s.prompts[0]!.engines[0]!.core = unordered),
    'names of the carousel out of order': (s) => (s.prompts[0]!.engines[0]!.carousel = unordered),
  });
  refuse('results', full.results, {
    'a prompt twice': (r) => r.prompts.push(r.prompts[0]!),
    'engines out of order': (r) => swap(r.prompts[0]!.engines, 0, 1),
    'a hash in upper case': (r) => (r.prompts[0]!.engines[0]!.evidence = [{ url: null, sha256: 'A' }]),
  });
  refuse('prompts', full.prompts, {
    'an instant without milliseconds': (p) => (p.prompts[0]!.createdAt = '2026-01-05T09:30:00Z'),
    'a tag twice': (p) => (p.prompts[0]!.tags = ['a', 'a']),
    'prompts out of order': (p) => (p.prompts[0]!.createdAt = '2027-01-05T09:30:00.000Z'),
  });
  refuse('brands', brands, {
    'a brand twice': (b) => b.push(b.at(-1)!),
    'brands out of order': (b) => swap(b, 0, 1),
  });
  refuse('week', week, {
    'a brand of no instant': (w) => Object.assign(w, { asOf: null, brands: w.brands.slice(1, 2) }),
    'a brand twice': (w) => w.brands.push(w.brands[0]!),
    'engines out of order': (w) => swap(w.brands[0]!.engines, 0, 1),
  });
  const rows = [['a', 1, 0.5, true, '2026-02-03', null]];
  refuse(
    'table',
    { columns: cellTypes.map((type) => ({ name: type, type })), rows },
    {
      'a cell too few': (t) => t.rows[0]!.pop(),
      'a number as a text': (t) => (t.rows[0]![0] = 1),
      'a fraction as an integer': (t) => (t.rows[0]![1] = 0.5),
      'a text as a number': (t) => (t.rows[0]![2] = '1'),
      'a text as a boolean': (t) => (t.rows[0]![3] = 'true'),
      'a day that does not exist': (t) => (t.rows[0]![4] = '2026-02-30'),
      'a day as a timestamp': (t) => (t.rows[0]![5] = '2026-02-03'),
    },
  );
  await expect(`${refused.join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, 'golden/refusals.txt'),
  );
});

test('events alike, sources without an own site and a week of nothing are accepted, and instants alike in milliseconds say nothing of the order of ids', () => {
  expect(complaintsAbout('visibility', { ...young, events: [event, event] })).toEqual([]);
  for (const own of [{ ownSite: null }, { citations: full.sources.ownSite!.citations }])
    expect(complaintsAbout('sources', { ...full.sources, ...own })).toEqual([]);
  expect(complaintsAbout('week', { asOf: null, brands: [] })).toEqual([]);
  const twins = brands.map((brand) => ({ ...brand, createdAt: '2026-01-05T09:30:00.000Z' }));
  expect(complaintsAbout('brands', twins)).toEqual([]);
  expect(complaintsAbout('brands', twins.toReversed())).toEqual([]);
});

test('a document with errors is not encoded, with one line that names the first three', () => {
  const first = [0, 1, 2].map(
    (at) => `prompts[${at}].text: Too small: expected string to have >=1 characters`,
  );
  const unsound = structuredClone(full.prompts);
  for (const [index, prompt] of unsound.prompts.slice(0, 4).entries()) {
    prompt.text = '';
    const more = ['', '', '', ' (and 1 more)'][index]!;
    const failure = new Failure(
      `a prompts document is invalid: ${first.slice(0, index + 1).join('; ')}${more}`,
    );
    expect(() => encodeDocument('prompts', unsound)).toThrow(failure);
  }
});
