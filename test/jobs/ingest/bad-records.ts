import { citation, mention, sound } from '../records.ts';
import type { Fields } from '../records.ts';

export type Kind = keyof typeof sound;

/** A reason, and what is refused for it: fields that replace some of a sound record's, or a whole line. */
type Bad = Record<string, readonly (Fields | string)[]>;

const noUuid = [
  undefined,
  null,
  7,
  '',
  'x',
  '{bbbbbbbb-0000-4000-8000-000000000001}',
  'bbbbbbbb00004000800000000000001a',
];
const noText = [undefined, null, 7, true, [], {}, '', ' \t\u0085\u00a0\u2028\u3000'];
const longNames = ['x'.repeat(1001), `${' '.repeat(1000)}x`, '\u{1f680}'.repeat(1001), '"'.repeat(1001)];
const noInstant = [
  undefined,
  null,
  1767225600,
  '',
  '2026-01-01',
  '2026-01-01T00:00Z',
  '2026-01-01 00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-06-30T23:59:60Z',
  '2026-02-29T00:00:00Z',
  '2026-01-01T00:00:00.1234567890Z',
  '2026-01-01T00:00:00+0100',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z\n',
];
const notJson = [
  '{',
  'x',
  '"text"',
  '[{}]',
  'null',
  '7',
  '{} {}',
  '{"id":1,}',
  '{"a":[1 , ]}',
  '{"a":NaN}',
  '{"a":-Infinity}',
  '{"a":01}',
  '{"a":"\\ud800"}',
  '{"a":"\t"}',
  '\ufeff{}',
  '{"a":1}//',
];
const noLinks = [
  7,
  [],
  '',
  'x.example',
  'https://',
  'ftp://x.example',
  'javascript:alert(1)//https://x.example',
  ' https://x.example',
  'https://x.example/a b',
  'https://x.example/\n',
  `https://x.example/${'x'.repeat(2000)}`,
];
const each = (field: string, values: readonly unknown[]) =>
  values.map((value): Fields => ({ [field]: value }));
const inMention = (field: string, values: readonly unknown[]) =>
  values.map((value): Fields => ({ mentions: [mention(), mention({ [field]: value })] }));

/** Of each kind of record, every way in which it can be bad. */
export const bad: Record<Kind, Bad> = {
  workspaces: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'name is missing or empty': each('name', noText),
    'name is longer than 1,000 characters': each('name', longNames),
    'created_at is not an RFC 3339 instant': each('created_at', noInstant),
  },
  brands: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'workspace_id is not a UUID': each('workspace_id', noUuid),
    'name is missing or empty': each('name', noText),
    'name is longer than 1,000 characters': each('name', longNames),
    'created_at is not an RFC 3339 instant': each('created_at', noInstant),
  },
  competitors: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'brand_id is not a UUID': each('brand_id', noUuid),
    'name is missing or empty': each('name', noText),
    'name is longer than 1,000 characters': each('name', longNames),
  },
  prompts: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'brand_id is not a UUID': each('brand_id', noUuid),
    'text is missing or empty': each('text', noText),
    'text is longer than 10,000 characters': [{ text: 'x'.repeat(10_001) }],
    'is_active is not true or false': each('is_active', [undefined, null, 0, 1, 'true', [true]]),
    'created_at is not an RFC 3339 instant': each('created_at', noInstant),
    'tags is not a list': each('tags', ['new', '["new"]', 7, false, {}, { 0: 'new' }]),
    'more than 50 tags': each('tags', [Array.from({ length: 51 }, () => 'new')]),
    'a tag is not a text': each('tags', [[null], ['new', 7], [['new']], [{}], [true]]),
    'a tag is longer than 100 characters': each('tags', [['x'.repeat(101)], ['\u{1f680}'.repeat(101)]]),
  },
  events: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'workspace_id is not a UUID': each('workspace_id', noUuid.slice(2)),
    'text is missing or empty': each('text', noText),
    'text is longer than 1,000 characters': each('text', longNames),
    'date is not a date': each('date', [undefined, null, 20261109, '', '2026-02-29', '2026-11-09T00:00:00Z']),
    'engine is unknown': each('engine', [1, '', 'bing', 'ChatGPT', ['chatgpt']]),
    'url is not an http or https URL': each('url', noLinks),
  },
  runs: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'brand_id is not a UUID': each('brand_id', noUuid),
    'prompt_id is not a UUID': each('prompt_id', noUuid),
    'engine is unknown': each('engine', [undefined, null, 1, '', 'bing', 'ChatGPT', 'chatgpt ', ['chatgpt']]),
    'cycle_date is not a date': each('cycle_date', [
      undefined,
      null,
      20261109,
      '',
      '2026-02-29',
      '2026-11-9',
      '2026-11-09T00:00:00Z',
      ' 2026-11-09',
    ]),
    'ran_at is not an RFC 3339 instant': each('ran_at', noInstant),
    'cycle_date is more than 366 days from ran_at': [
      ...each('cycle_date', ['0001-01-01', '0226-11-09', '9999-12-31', '2025-11-07', '2027-11-11']),
      { ran_at: '2099-11-09T08:00:00Z' },
      { ran_at: '2026-11-09T23:59:59-01:00', cycle_date: '2025-11-08' },
    ],
    'model is not a text': each('model', [7, true, [], {}, ['m-1']]),
    'model is longer than 1,000 characters': each('model', longNames),
    'answer_url is not an http or https URL': each('answer_url', noLinks),
    'answer_sha256 is not 64 hexadecimal digits': [
      ...each('answer_sha256', [7, '', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), ['a'.repeat(64)]]),
      JSON.stringify(sound.runs({ answer_sha256: 7 })).replace(':7}', `:${'7'.repeat(64)}}`),
    ],
    'status is unknown': each('status', [undefined, null, 0, true, '', 'ok', 'Success']),
    'mentions is not a list': each('mentions', [{}, '', '[]', 0, false, mention()]),
    'citations is not a list': each('citations', [{}, '', '[]', 0, false, citation()]),
    'mentions or citations on a run that was not answered': [
      { status: 'no_answer', mentions: [mention()] },
      { status: 'failed', mentions: [mention()] },
      { status: 'no_answer', citations: [citation()] },
      { status: 'failed', mentions: [], citations: [citation()] },
    ],
    'a mention has no name': [
      ...inMention('name', noText),
      { mentions: [null] },
      { mentions: ['Acme'] },
      { mentions: [[]] },
    ],
    'a name of a mention is longer than 1,000 characters': inMention('name', longNames),
    'more than 1,000 mentions': [
      { mentions: Array.from({ length: 1001 }, () => mention()) },
      { mentions: Array.from({ length: 1001 }, () => mention({ name: 'x'.repeat(500) })) },
      { mentions: Array.from({ length: 100_000 }, () => 1) },
    ],
    'more than 1,000 citations': [
      { citations: Array.from({ length: 1001 }, () => citation()) },
      {
        citations: Array.from({ length: 1001 }, () =>
          citation({ url: `https://x.example/${'x'.repeat(500)}` }),
        ),
      },
    ],
    'a mention has an unknown subject': inMention('subject', [undefined, null, 1, '', 'Brand', 'rival']),
    'a mention of a competitor has no competitor_id': noUuid.map((competitor_id) => ({
      mentions: [mention(), mention({ subject: 'competitor', competitor_id })],
    })),
    'a mention has no whole position of 1 or more': [
      ...inMention('position', [undefined, null, 0, -1, 1.5, '1', true, []]),
      JSON.stringify(sound.runs({ mentions: [mention({ position: 7 })] })).replace(
        '"position":7',
        '"position":1.0',
      ),
      JSON.stringify(sound.runs({ mentions: [mention({ position: 7 })] })).replace(
        '"position":7',
        '"position":1e0',
      ),
    ],
    'a mention has an unknown sentiment': inMention('sentiment', [0, true, '', 'Positive', 'mixed', []]),
    'a citation has no readable host': [
      ...[
        undefined,
        null,
        7,
        '',
        ' ',
        'ftp://x.example/',
        ' MailTo:a@b.example',
        'https://',
        '//',
        '/path',
        'www..',
        'https://a b.example/',
        'https://x.example:80a/',
        'https://a@b@c.example/',
        'https://[::1/',
        'https://[fe80::1%25eth0]/',
        'https://a%20b.example/',
        'https://::1/',
      ].map((url) => ({ citations: [citation(), citation({ url })] })),
      { citations: [null] },
      { citations: ['https://news.example/'] },
    ],
    'a citation has an unknown source_type': [undefined, null, 1, '', 'News', 'blog'].map((source_type) => ({
      citations: [citation(), citation({ source_type })],
    })),
  },
};
