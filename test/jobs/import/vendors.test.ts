/** @module-tag long */
import { describe, expect, test } from 'vitest';
import type { Provenance } from '../../../jobs/lake/provenance.ts';
import { findingsOf, recordsOf, runsOf, tried } from './imports.ts';

const answers = (info: object | null, ...ids: number[]) => ({
  info,
  data: ids.map((id) => ({
    run_id: `r${id}`,
    date: '2026-11-16',
    model: { name: 'ChatGPT' },
    prompt: `p${id}`,
    prompt_id: `p${id}`,
    response: 'Acme',
    mentions: ['Acme'],
    citations: [],
  })),
});
const chats = (more: object, ...ids: number[]) => ({
  data: ids.map((id) => ({ id: `ch_${id}`, date: '2026-11-16' })),
  ...more,
});
const content = (id: number) => ({
  id: `ch_${id}`,
  prompt: { id: 'pr_1' },
  model: { id: 'chatgpt-scraper' },
  sources: [],
  brands_mentioned: [],
  messages: [
    { role: 'user', content: 'Which?' },
    { role: 'assistant', content: 'Hm.' },
  ],
});
const brands = { data: [{ id: 'kw_1', name: 'Acme', is_own: true, domains: [] }] };
const record = (more: object) => ({
  snapshotId: 's1',
  snapshotCreatedAt: '2026-11-16T06:00:00.000Z',
  queryId: 'q1',
  query: 'Which?',
  provider: 'openai',
  answerText: 'Acme',
  citedUrls: ['https://a.example/'],
  captureStatus: 'complete',
  ...more,
});
const canonry = (records: object[], recordCount = records.length) => ({
  schemaVersion: 'canonry.results-export/v1',
  project: { id: 'p', displayName: 'Acme', canonicalDomain: 'acme.example' },
  recordCount,
  records,
});
const report = { id: 'r1', brand: 'Acme', brandVariations: [], competitors: [] };
const prompts = {
  items: [
    { id: '01HXP1', prompt: 'Which?', country: 'us' },
    { id: '01HXP2', prompt: 'Who?', country: 'us' },
  ],
};
const responses = (hasMore: boolean) => ({
  items: [
    {
      runId: 'x',
      runDate: '2026-11-16T08:00:00.000Z',
      engine: 'chatgpt',
      state: 'completed',
      content: 'Acme',
    },
  ],
  paging: { hasMore },
});

describe('an incomplete export is refused, unless --allow-missing allows it', () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    [
      'profound',
      'too few rows',
      { 'a.json': answers({ total_results: 5000, next_cursor: 'x' }, 1, 2) },
      'is 5000, and they have 2 (4998)',
    ],
    [
      'profound',
      'no last page',
      { 'a.json': answers({ total_results: 2, next_cursor: 'x' }, 1, 2) },
      'have no end: each has a next_cursor',
    ],
    [
      'profound',
      'too few rows, and a last page with none',
      {
        'a.json': answers({ total_results: 1, next_cursor: 'x' }, 1),
        'b.json': answers({ total_results: 1, next_cursor: null }),
        'c.json': answers({
          total_results: 3,
          next_cursor: null,
          start_date: '2026-11-09',
          end_date: '2026-11-10',
        }),
      },
      'of 2026-11-09 to 2026-11-10 is 3, and they have 0 (3)',
    ],
    ['profound', 'pages without info', { 'a.json': answers(null, 1) }, 'a page has no info'],
    [
      'peec',
      'chats without a content',
      { 'brands.json': brands, 'chats.json': chats({}, 1, 2, 3), 'contents.ndjson': content(1) },
      'have no content: GET /chats/{id}/content (2)',
    ],
    [
      'peec',
      'fewer chats than there are',
      { 'brands.json': brands, 'chats.json': chats({ totalCount: 9 }, 1), 'contents.ndjson': content(1) },
      'fewer than totalCount says (8)',
    ],
    [
      'canonry',
      'fewer records than there are',
      { 'a.json': canonry([record({})], 3) },
      'fewer than recordCount says (2)',
    ],
    [
      'otterly',
      'a prompt without responses',
      { 'report.json': report, 'prompts.json': prompts, 'responses-01HXP1.json': responses(false) },
      'prompts without a file of responses (1)',
    ],
    [
      'otterly',
      'fewer prompts than the report has',
      {
        'report.json': { ...report, countryPromptsTotal: { us: 27, de: 9 } },
        'prompts.json': prompts,
        'responses-01HXP1.json': responses(false),
        'responses-01HXP2.json': responses(false),
      },
      'fewer than countryPromptsTotal of the report says (25)',
    ],
    [
      'otterly',
      'no last page',
      {
        'report.json': report,
        'prompts.json': prompts,
        'responses-01HXP1.json': responses(true),
        'responses-01HXP2.json': responses(false),
      },
      'hasMore is true on each',
    ],
  ])('%s: %s', async (mapping, _, files, reason) => {
    const more = mapping === 'profound' ? { settings: { brand: 'Acme' } } : {};
    const { failure } = await tried(mapping, files, more);
    expect(failure[0]).toMatch(
      /^the export is incomplete: answers that are not in it: (?:\d+|nobody knows how many); nothing is written$/,
    );
    expect(failure.join('\n')).toContain(reason);
    expect(failure.at(-1)).toContain('--allow-missing PERCENT');
    const { drop } = await tried(mapping, files, { ...more, allowMissing: 100 });
    const missing = findingsOf(drop, 'missing').map((each) => ({
      kind: each.kind,
      reason: each.reason,
      records: each.records,
    }));
    expect(missing).not.toEqual([]);
    const { findings } = JSON.parse(drop!.files['import.json']!) as Provenance;
    expect(findings).toEqual(expect.arrayContaining(missing));
  });
});

describe('Canonry', () => {
  test('an answer whose URLs could not be resolved is an answer with unknown citations', async () => {
    const { drop } = await tried('canonry', { 'a.json': canonry([record({ captureStatus: 'failed' })]) });
    expect(runsOf(drop)).toMatchObject([{ status: 'success', mentions: [{ name: 'Acme' }], citations: [] }]);
    expect(drop!.report.notes).toContainEqual(
      expect.stringMatching(/^The citations of 1 answers are unknown/),
    );
  });

  test('an API and a browser for one engine are refused until a person chooses', async () => {
    const both = { 'a.json': canonry([record({}), record({ snapshotId: 's2', provider: 'cdp:chatgpt' })]) };
    const { failure } = await tried('canonry', both);
    expect(failure[0]).toMatch(
      /providers cdp:chatgpt and openai both stand for chatgpt.*--engine cdp:chatgpt=skip/,
    );
    for (const engines of [{ openai: 'skip' }, { openai: 'chatgpt', 'cdp:chatgpt': 'chatgpt' }])
      expect((await tried('canonry', both, { engines })).drop!.report.kept).toBe(1);
  });
});

test('Peec: a chat with a channel and no model has an engine by the list of channels, or by --engine', async () => {
  const { model: _, ...without } = content(1);
  const files = {
    'brands.json': brands,
    'chats.json': chats({}, 1),
    'contents.json': { ...without, model_channel: { id: 'xai-0' } },
  };
  expect((await tried('peec', files)).failure[1]).toMatch(
    /^engine is unknown: xai-0 \(1\): contents\.json: chat ch_1/,
  );
  const channels = { data: [{ id: 'xai-0', current_model: { id: 'grok-scraper' } }] };
  for (const drop of [
    (await tried('peec', { ...files, 'channels.json': channels })).drop,
    (await tried('peec', files, { engines: { 'xai-0': 'grok' } })).drop,
  ])
    expect(recordsOf(drop!, 'runs.ndjson')).toMatchObject([{ engine: 'grok' }]);
});

test('Otterly: the answers of a prompt that no prompts file lists are skipped by name', async () => {
  const { failure } = await tried('otterly', {
    'report.json': report,
    'prompts.json': { items: prompts.items.slice(0, 1) },
    'responses-01HXP1.json': responses(false),
    'responses.json': { ...responses(false), promptId: '01HXP2' },
  });
  expect(failure[1]).toBe('its prompt is in no prompts file (1): responses.json: runId x of prompt 01HXP2');
});

test('Peec: a brand that no brands file lists is another name, and is reported', async () => {
  const mentioned = [
    { id: 'kw_9', name: 'Globex', position: 1 },
    { id: 'kw_1', name: 'Acme', position: 2 },
  ];
  const { drop } = await tried('peec', {
    'brands.json': brands,
    'chats.json': chats({}, 1),
    'contents.json': { ...content(1), brands_mentioned: mentioned },
  });
  expect(runsOf(drop)[0]!.mentions).toMatchObject([
    { name: 'Globex', subject: 'other', competitor_id: null },
    { name: 'Acme', subject: 'brand' },
  ]);
  expect(drop!.report.notes).toContain(
    'These brands are in no file of brands, and count as other names: Globex',
  );
});

test('a citation without a readable host is left out of its answer, and reported', async () => {
  const { drop } = await tried('canonry', {
    'a.json': canonry([record({ citedUrls: ['https://a.example/', 'no url'] })]),
  });
  expect(runsOf(drop)).toMatchObject([{ citations: [{ url: 'https://a.example/' }] }]);
  expect(findingsOf(drop, 'left out')).toMatchObject([
    { reason: 'a citation without a readable host', records: 1, first: ['a.json: snapshotId s1: no url'] },
  ]);
});
