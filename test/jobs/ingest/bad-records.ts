import { citation, mention, sound } from '../records.ts';
import type { Fields } from '../records.ts';

export type Kind = keyof typeof sound;

/** A reason, and what is refused for it: fields that replace some of a sound record's, or a whole line. */
type Bad = Record<string, readonly (Fields | string)[]>;

const each = (field: string, values: readonly unknown[]) =>
  values.map((value): Fields => ({ [field]: value }));
const inMention = (field: string, values: readonly unknown[]) =>
  values.map((value): Fields => ({ mentions: [mention(), mention({ [field]: value })] }));
const cited = (values: readonly object[]) =>
  values.map((value): Fields => ({ citations: [citation(), { ...citation(), ...value }] }));

const uuidParts = 'bbbbbbbb-0000-4000-8000-000000000001';
const noUuid = [undefined, null, 7, 'x', `{${uuidParts}}`, uuidParts.replaceAll('-', '')];
const noText = [undefined, null, 7, [], {}, '', ' \t\u0085\u00a0\u2028\u3000'];
const longNames = ['x'.repeat(1001), `${' '.repeat(1000)}x`, '\u{1f680}'.repeat(1001), '"'.repeat(1001)];
const noDate = [undefined, null, 20261109, '', '2026-02-29', '2026-11-9', ' 2026-11-09'];
const times = ['', 'T00:00Z', ' 00:00:00Z', 'T24:00:00Z', 'T23:59:60Z', 'T00:00:00+0100', 'T00:00:00Z\n'];
const noInstant = [
  [undefined, null, 1767225600, '2026-02-29T00:00:00Z', '2026-01-01T00:00:00.1234567890Z'],
  ['9999-12-31T23:00:00-01:00', '0001-01-01T00:00:00+00:01'],
  times.map((time) => `2026-06-30${time}`),
].flat();
const notJson = [
  ['{', '"text"', '[{}]', 'null', '{} {}', '{"id":1,}', '{"a":[1 , ]}', '{"a":NaN}', '{"a":-Infinity}'],
  ['{"a":01}', '{"a":"\\ud800"}', '{"a":"\t"}', '\ufeff{}', '{"a":1}//'],
].flat();
const noLinks = [
  [7, '', 'x.example', 'https://', 'ftp://x.example', 'javascript:alert(1)//https://x.example'],
  [' https://x.example', 'https://x.example/a b', 'https://x.example/\n'],
  [`https://x.example/${'x'.repeat(2000)}`],
].flat();
const noHosts = [
  [undefined, null, 7, '', ' ', 'ftp://x.example/', ' MailTo:a@b.example', 'https://', '/path', 'www..'],
  ['https://a b.example/', 'https://x.example:80a/', 'https://a@b@c.example/', 'https://[::1/'],
  ['https://[fe80::1%25eth0]/', 'https://a%20b.example/', 'https://::1/'],
].flat();
const noHashes = [7, '', 'a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), ['a'.repeat(64)]];
const noList = [{}, '', '[]', 0, false];

const ofIds = (...fields: string[]): Bad => ({
  'not a JSON object': notJson,
  ...Object.fromEntries(fields.map((field) => [`${field} is not a UUID`, each(field, noUuid)])),
});
const ofName: Bad = {
  'name is missing or empty': each('name', noText),
  'name is longer than 1,000 characters': each('name', longNames),
};
const ofInstant = (field: string): Bad => ({
  [`${field} is not an RFC 3339 instant`]: each(field, noInstant),
});
const many = <T>(item: T) => Array.from({ length: 1001 }, () => item);
const withPosition = (written: string) =>
  JSON.stringify(sound.runs({ mentions: [mention({ position: 7 })] })).replace('"position":7', written);

/** Of each kind of record, every way in which it can be bad. */
export const bad: Record<Kind, Bad> = {
  workspaces: { ...ofIds('id'), ...ofName, ...ofInstant('created_at') },
  brands: { ...ofIds('id', 'workspace_id'), ...ofName, ...ofInstant('created_at') },
  competitors: { ...ofIds('id', 'brand_id'), ...ofName },
  prompts: {
    ...ofIds('id', 'brand_id'),
    'text is missing or empty': each('text', noText),
    'text is longer than 10,000 characters': [{ text: 'x'.repeat(10_001) }],
    'is_active is not true or false': each('is_active', [undefined, null, 0, 1, 'true', [true]]),
    ...ofInstant('created_at'),
    'tags is not a list': each('tags', ['new', '["new"]', 7, false, {}, { 0: 'new' }]),
    'more than 50 tags': each('tags', [Array.from({ length: 51 }, () => 'new')]),
    'a tag is not a text': each('tags', [[null], ['new', 7], [['new']], [{}]]),
    'a tag is longer than 100 characters': each('tags', [['x'.repeat(101)], ['\u{1f680}'.repeat(101)]]),
  },
  events: {
    ...ofIds('id'),
    'workspace_id is not a UUID': each('workspace_id', noUuid.slice(2)),
    'text is missing or empty': each('text', noText),
    'text is longer than 1,000 characters': each('text', longNames),
    'date is not a date': each('date', noDate),
    'engine is unknown': each('engine', [1, '', 'bing', 'ChatGPT', ['chatgpt']]),
    'url is not an http or https URL': each('url', noLinks),
  },
  runs: {
    ...ofIds('id', 'brand_id', 'prompt_id'),
    'engine is unknown': each('engine', [undefined, null, 1, '', 'bing', 'ChatGPT', 'chatgpt ']),
    'cycle_date is not a date': each('cycle_date', noDate),
    ...ofInstant('ran_at'),
    'cycle_date is more than 366 days from ran_at': [
      ...each('cycle_date', ['0001-01-01', '9999-12-31', '2025-11-07', '2027-11-11']),
      { ran_at: '2026-11-09T23:59:59-01:00', cycle_date: '2025-11-08' },
    ],
    'model is not a text': each('model', [7, true, [], {}]),
    'model is longer than 1,000 characters': each('model', longNames),
    'answer_url is not an http or https URL': each('answer_url', noLinks),
    'answer_sha256 is not 64 hexadecimal digits': [
      ...each('answer_sha256', noHashes),
      JSON.stringify(sound.runs({ answer_sha256: 7 })).replace(':7}', `:${'7'.repeat(64)}}`),
    ],
    'status is unknown': each('status', [undefined, null, 0, '', 'ok', 'Success']),
    'mentions is not a list': each('mentions', [...noList, mention()]),
    'citations is not a list': each('citations', [...noList, citation()]),
    'mentions or citations on a run that was not answered': [
      { status: 'no_answer', mentions: [mention()] },
      { status: 'failed', citations: [citation()] },
    ],
    'a mention has no name': [...inMention('name', noText), ...each('mentions', [[null], ['Acme'], [[]]])],
    'a name of a mention is longer than 1,000 characters': inMention('name', longNames),
    'more than 1,000 mentions': [
      { mentions: many(mention()) },
      { mentions: Array.from({ length: 100_000 }, () => 1) },
    ],
    'more than 1,000 citations': [{ citations: many(citation()) }],
    'a mention has an unknown subject': inMention('subject', [undefined, null, 1, '', 'Brand', 'rival']),
    'a mention of a competitor has no competitor_id': noUuid.map((competitor_id) => ({
      mentions: [mention(), mention({ subject: 'competitor', competitor_id })],
    })),
    'a mention has no whole position of 1 or more': [
      ...inMention('position', [undefined, null, 0, -1, 1.5, '1', true, []]),
      ...['"position":1.0', '"position":1e0'].map(withPosition),
    ],
    'a mention has an unknown sentiment': inMention('sentiment', [0, true, '', 'Positive', 'mixed', []]),
    'a citation has no readable host': [
      ...cited(noHosts.map((url) => ({ url }))),
      ...each('citations', [[null], ['https://news.example/']]),
    ],
    'a citation has an unknown source_type': cited(
      [undefined, null, 1, '', 'News', 'blog'].map((source_type) => ({ source_type })),
    ),
  },
};
