import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { deliver, rejectsOf } from './jobs.ts';
import { citation, mention, runId, sound, writeDrop } from './records.ts';
import type { Fields } from './records.ts';

type Kind = keyof typeof sound;

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
const noInstant = [
  undefined,
  null,
  1767225600,
  '',
  '2026-01-01',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:60:00Z',
  '2026-06-30T23:59:60Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-01T00:00:00.Z',
  '2026-01-01T00:00:00.1234567890Z',
  '2026-01-01T00:00:00+0100',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00+01:60',
  '2026-01-01T00:00:00 Z',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z\n',
  '02026-01-01T00:00:00Z',
];
const notJson = [
  '{',
  '}',
  'x',
  '"text"',
  '[]',
  '[{}]',
  'null',
  'true',
  '7',
  '{} {}',
  "{'id':1}",
  '{"id"}',
  '{"id":1,}',
  '{"a":[1,]}',
  '{"a":[1 , ]}',
  '{"a":NaN}',
  '{"a":-Infinity}',
  '{"a":[nan]}',
  '{"a":01}',
  '{"a":"\\x"}',
  '{"a":"\\ud800"}',
  '{"a":"\t"}',
  '\ufeff{}',
  '{"a":1}//',
];
const each = (field: string, values: readonly unknown[]) =>
  values.map((value): Fields => ({ [field]: value }));
const inMention = (field: string, values: readonly unknown[]) =>
  values.map((value): Fields => ({ mentions: [mention(), mention({ [field]: value })] }));

const bad: Record<Kind, Bad> = {
  workspaces: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'name is missing or empty': each('name', noText),
    'created_at is not an RFC 3339 instant': each('created_at', noInstant),
  },
  brands: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'workspace_id is not a UUID': each('workspace_id', noUuid),
    'name is missing or empty': each('name', noText),
    'created_at is not an RFC 3339 instant': each('created_at', noInstant),
  },
  competitors: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'brand_id is not a UUID': each('brand_id', noUuid),
    'name is missing or empty': each('name', noText),
  },
  prompts: {
    'not a JSON object': notJson,
    'id is not a UUID': each('id', noUuid),
    'brand_id is not a UUID': each('brand_id', noUuid),
    'text is missing or empty': each('text', noText),
    'is_active is not true or false': each('is_active', [undefined, null, 0, 1, 'true', [true]]),
    'created_at is not an RFC 3339 instant': each('created_at', noInstant),
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
      '2026-11-31',
      '2026-00-10',
      '26-11-09',
      '2026-11-9',
      '2026-11-09T00:00:00Z',
      ' 2026-11-09',
    ]),
    'ran_at is not an RFC 3339 instant': each('ran_at', noInstant),
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
        'mailto:x',
        'https://',
        'https:///x',
        '//',
        '/path',
        '?q',
        'www..',
        '.',
        'https://a b.example/',
        'https://x.example:80a/',
        'https://x.example:/',
        'https://a@b@c.example/',
        'https://[::1/',
        'https://[x]/',
        'https://[fe80::1%25eth0]/',
        'https://[1:2:3:4:5:6:7:8:9]/',
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

const wide = (n: number) => String(n).padStart(12, '0');
const idOf = (kind: Kind, n: number) => (kind === 'runs' ? runId(n) : `99999999-0000-4000-8000-${wide(n)}`);

test.each(Object.keys(sound) as Kind[])(
  'each way in which one of the %s can be bad refuses that record alone, and keeps it unchanged',
  async (kind) => {
    const folder = await temporaryFolder();
    const lines: string[] = [];
    const expected: unknown[] = [];
    const add = (line: string) => lines.push(line);
    const file = `${kind}.ndjson`;
    for (const [reason, variants] of Object.entries(bad[kind])) {
      for (const variant of variants) {
        add(JSON.stringify(sound[kind]({ id: idOf(kind, lines.length) })));
        const record =
          typeof variant === 'string'
            ? variant
            : ` ${JSON.stringify(sound[kind]({ id: idOf(kind, lines.length), ...variant }))}\t`;
        expected.push({ file, line: add(record), reason, record });
      }
    }
    const drop = await writeDrop(join(folder, 'drop'), { [file]: lines.map((line) => `${line}\n`).join('') });
    const lake = join(folder, 'lake');
    const report = await deliver(lake, { folder: drop, date: '2026-11-16', partialTracking: true });
    expect(await rejectsOf(lake, report)).toEqual(expected);
    const count = expected.length;
    expect(report.files).toEqual([
      {
        file,
        kind,
        taken: count,
        repeated: 0,
        refused: count,
        known: false,
        refusedBefore: 0,
        notTaken: null,
      },
    ]);
    const counted = Object.entries(bad[kind]).map(([reason, { length }]) => ({ reason, records: length }));
    expect(new Set(report.refusals)).toEqual(new Set(counted));
  },
);

test('what the contract leaves free is no reason to refuse', async () => {
  const folder = await temporaryFolder();
  const runs: Fields[] = [
    { mentions: null, citations: null, status: 'failed' },
    { mentions: [], citations: [], status: 'no_answer', extra: { a: [1, null] } },
    {
      mentions: [mention({ competitor_id: 'no id at all' }), mention({ subject: 'other', competitor_id: 7 })],
    },
    {
      mentions: [mention({ subject: 'competitor', competitor_id: runId(99) }), mention({ sentiment: null })],
    },
    { mentions: [{ name: '\ufeff', subject: 'other', position: 9007199254740991 }] },
    { mentions: [mention({ name: 'a\u0000b' }), mention({ name: ',]NaN' }), mention({ name: '\u200b' })] },
    { ran_at: '2026-11-09t08:00:00.123456789z' },
    { ran_at: '2024-02-29T23:59:59-23:59', cycle_date: '2024-02-29' },
    { engine: 'chatgpt', citations: [citation(), citation({ url: 'user:pw@[2001:DB8::1]:8443/x' })] },
    {
      citations: [
        '//x',
        'X',
        'HTTPS://x.example.',
        'https://www.www.x/',
        'İ.example',
        'mailto:a@b.example',
      ].map((url) => citation({ url })),
    },
    { id: runId(900).toUpperCase(), brand_id: runId(7).toUpperCase(), prompt_id: runId(8) },
  ];
  const domains: unknown[] = ['', '   ', 'no host at all', undefined, null, 'ftp://x', 'a\u0000b'];
  const drop = await writeDrop(join(folder, 'drop'), {
    'runs.ndjson': runs.map((run, n) => sound.runs({ id: runId(n), ...run })),
    'brands.ndjson': domains.map((domain, n) => sound.brands({ id: runId(n), domain })),
  });
  const report = await deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-16' });
  expect(report.refusals).toEqual([]);
  expect(report.files.map(({ taken }) => taken)).toEqual([domains.length, runs.length]);
});
