/** @module-tag long */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Provenance } from '../../../jobs/lake/provenance.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { imported, tried } from './imports.ts';

const HEADER = 'brand,prompt,engine,ran_at,answer\n';
const ROW = 'Acme,Which?,ChatGPT,2026-11-16,Acme\n';

const canonryFile = (rest: string) => `{"schemaVersion":"canonry.results-export/v1",${rest}`;

describe('a file that cannot be read fails the import in lines that name it, and nothing is written', () => {
  const unreadable: [mapping: string, file: string, content: string | Buffer, message: RegExp][] = [
    [
      'spreadsheet',
      'answers.csv',
      `Answers,,,,\n${HEADER}`,
      /there is no column brand \(1\): answers\.csv row 1: not read: Answers, column 2, /,
    ],
    ['spreadsheet', 'answers.csv', '', /^answers\.csv has no names of columns in its first row$/],
    ['spreadsheet', 'answers.csv', `${HEADER}${ROW}Acme,Which?\n`, /answers\.csv line 3: .*in quotes$/],
    [
      'spreadsheet',
      'answers.csv',
      Buffer.from(`${HEADER}\xff${ROW}`, 'latin1'),
      /answers\.csv line 2: Invalid unicode.*CSV UTF-8/,
    ],
    ['spreadsheet', 'answers.csv', 'brand,Brand\n', /^answers\.csv has two columns named Brand$/],
    [
      'spreadsheet',
      'answers.csv.gz',
      gzipSync(`${HEADER}${ROW}`).subarray(0, 40),
      /^answers\.csv\.gz cannot be read: /,
    ],
    ['spreadsheet', 'answers.parquet', 'no Parquet', /answers\.parquet/],
    ['spreadsheet', 'answers.xlsx', 'no zip', /^answers\.xlsx cannot be read as a workbook: /],
    ['spreadsheet', 'answers.txt', HEADER, /^answers\.txt is not \.csv/],
    ['spreadsheet', 'a[1].csv', HEADER, /^a\[1\]\.csv has \* \? or \[ in its name; rename it$/],
    ['spreadsheet', 'answers.csv', HEADER, /mapping spreadsheet found nothing in these files$/],
    ['peec', 'answers.csv', HEADER, /names begin with one of brands, chats, contents/],
    [
      'canonry',
      'a.json',
      '{"schemaVersion":"canonry.results-export/v2","project":{},"records":[]}',
      /schemaVersion is .*\/v2, not .*\/v1/,
    ],
    ['canonry', 'a.json', canonryFile('"project":{"id":"p"}}'), /records is missing \(1\): a\.json row 1$/],
    ['canonry', 'a.json', canonryFile('"project":{"id":"p"},"records":[1]}'), /a\.json.*Expected OBJECT/],
    ['canonry', 'a.json', canonryFile(''), /a\.json/],
  ];
  test.each(unreadable.map(([mapping, file, content, message]) => ({ mapping, file, content, message })))(
    '$mapping, $file: $message',
    async ({ mapping, file, content, message }) => {
      const { failure, folder } = await tried(mapping, { [file]: content });
      expect(failure.join('')).not.toContain('\n');
      expect(failure.join(' | ').replaceAll(`${folder}/`, '')).toMatch(message);
      expect(await readdir(folder)).toEqual([file]);
    },
  );
});

test('an unknown mapping, setting or file, and a folder or a file of problems in use, are named', async () => {
  const folder = await temporaryFolder();
  const from = [join(folder, 'a.csv')];
  await writeFile(from[0]!, `${HEADER}${ROW}`);
  const usual = { mapping: 'spreadsheet', from, to: join(folder, 'drop') };
  for (const [more, message] of [
    [{ mapping: 'excel' }, 'one of canonry, otterly, peec, profound, spreadsheet'],
    [{ settings: { brnad: 'x' } }, 'has no setting brnad; it has created_at, dates, workspace'],
    [{ from: [join(folder, 'b.csv')] }, 'b.csv does not exist'],
    [{ to: folder }, 'is not empty; choose another folder'],
    [{ to: from[0]! }, 'a.csv cannot be written'],
    [{ problems: from[0]! }, 'a.csv is another file; choose a new one for the problems'],
    [{ problems: join(folder, 'none/problems.csv') }, 'problems.csv cannot be written: '],
  ] as const)
    await expect(imported({ ...usual, ...more })).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual(['a.csv']);
});

const source = 'create table source.a (name varchar);';

test.each([
  ['', /creates nothing$/],
  ['create view runs as select 1 as id', /declares no table in the schema source/],
  [`create macro one() as 1; ${source}`, /must declare the tables of source and extra before anything else$/],
  [source, /creates none of the views workspaces, brands/],
  [`${source} create view runs as select 1 as id`, /the view runs has no column brand_id$/],
  [`${source} create view brands as selec`, /mine\.sql: .*syntax error/],
  [
    `${source} create view workspaces as select id_of('x', 'same') as id, name from source.a`,
    /the view workspaces: the id \S+ stands for different records$/,
  ],
  [`${source} create view workspaces as select name as id, name from source.a`, /mine\.sql: .* column id$/],
])('a wrong mapping %j: one line says what is wrong', async (sql, message) => {
  const mapping = join(await temporaryFolder(), 'mine.sql');
  await writeFile(mapping, sql);
  const { failure } = await tried(mapping, { 'a.csv': 'name\none\ntwo\n' });
  expect(failure).toEqual([expect.stringMatching(message)]);
});

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
const content = {
  id: 'ch_1',
  prompt: { id: 'pr_1' },
  model: { id: 'chatgpt-scraper' },
  sources: [],
  brands_mentioned: [],
  messages: [
    { role: 'user', content: 'Which?' },
    { role: 'assistant', content: 'Hm.' },
  ],
};
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
const otterly = (hasMore: boolean, countryPromptsTotal = {}) => {
  const run = { runId: 'x', runDate: '2026-11-16T08:00:00.000Z', engine: 'chatgpt', state: 'completed' };
  const responses = { items: [{ ...run, content: 'Acme' }], paging: { hasMore } };
  return {
    'report.json': { id: 'r1', brand: 'Acme', brandVariations: [], competitors: [], countryPromptsTotal },
    'prompts.json': {
      items: [
        { id: '01HXP1', prompt: 'Which?', country: 'us' },
        { id: '01HXP2', prompt: 'Who?', country: 'us' },
      ],
    },
    'responses-01HXP1.json': responses,
    'responses-01HXP2.json': { ...responses, paging: { hasMore: false } },
  };
};

describe('an incomplete export is refused, unless --allow-missing allows it', () => {
  const page = { total_results: 1, next_cursor: 'x' };
  const { 'responses-01HXP2.json': _, ...withoutResponses } = otterly(false);
  test.each<[string, Record<string, unknown>, string]>([
    [
      'profound',
      { 'a.json': answers({ total_results: 5000, next_cursor: 'x' }, 1, 2) },
      'is 5000, and they have 2 (4998)',
    ],
    [
      'profound',
      { 'a.json': answers({ total_results: 2, next_cursor: 'x' }, 1, 2) },
      'have no end: each has a next_cursor',
    ],
    [
      'profound',
      {
        'a.json': answers(page, 1),
        'b.json': answers({ ...page, next_cursor: null }),
        'c.json': answers({
          total_results: 3,
          next_cursor: null,
          start_date: '2026-11-09',
          end_date: '2026-11-10',
        }),
      },
      'of 2026-11-09 to 2026-11-10 is 3, and they have 0 (3)',
    ],
    ['profound', { 'a.json': answers(null, 1) }, 'a page has no info'],
    [
      'peec',
      { 'brands.json': brands, 'chats.json': chats({}, 1, 2, 3), 'contents.json': content },
      'have no content: GET /chats/{id}/content (2)',
    ],
    [
      'peec',
      { 'brands.json': brands, 'chats.json': chats({ totalCount: 9 }, 1), 'contents.json': content },
      'fewer than totalCount says (8)',
    ],
    ['canonry', { 'a.json': canonry([record({})], 3) }, 'fewer than recordCount says (2)'],
    ['otterly', withoutResponses, 'prompts without a file of responses (1)'],
    ['otterly', otterly(false, { us: 27, de: 9 }), 'fewer than countryPromptsTotal of the report says (25)'],
    ['otterly', otterly(true), 'hasMore is true on each'],
  ])('%s %#', async (mapping, files, reason) => {
    const settings: Record<string, string> = mapping === 'profound' ? { brand: 'Acme' } : {};
    const { failure } = await tried(mapping, files, { settings });
    expect(failure[0]).toMatch(
      /^the export is incomplete: answers that are not in it: (?:\d+|nobody knows how many); nothing is written$/,
    );
    expect(failure.join('\n')).toContain(reason);
    expect(failure.at(-1)).toContain('--allow-missing PERCENT');
  });

  test('and import.json keeps how many are missing', async () => {
    const files = { 'a.json': canonry([record({})], 3) };
    expect((await tried('canonry', files, { allowMissing: 66 })).drop).toBeNull();
    const { drop } = await tried('canonry', files, { allowMissing: 67 });
    const { findings } = JSON.parse(drop!.files['import.json']!) as Provenance;
    expect(findings).toMatchObject([{ kind: 'missing', records: 2 }]);
  });
});

test('Canonry: an API and a browser for one engine are refused until a person chooses', async () => {
  const both = { 'a.json': canonry([record({}), record({ snapshotId: 's2', provider: 'cdp:chatgpt' })]) };
  const { failure } = await tried('canonry', both);
  expect(failure[0]).toMatch(
    /providers cdp:chatgpt and openai both stand for chatgpt.*--engine cdp:chatgpt=skip/,
  );
  for (const engines of [{ openai: 'skip' }, { openai: 'chatgpt', 'cdp:chatgpt': 'chatgpt' }])
    expect((await tried('canonry', both, { engines })).drop!.report.kept).toBe(1);
});

test('Peec: a chat with a channel and no model has an engine by the list of channels, or by --engine', async () => {
  const { model: _, ...without } = content;
  const files = {
    'brands.json': brands,
    'chats.json': chats({}, 1),
    'contents.json': { ...without, model_channel: { id: 'xai-0' } },
  };
  expect((await tried('peec', files)).failure[1]).toMatch(
    /^engine is unknown: xai-0 \(1\): contents\.json: chat ch_1/,
  );
  const channels = { data: [{ id: 'xai-0', current_model: { id: 'grok-scraper' } }] };
  for (const { drop } of [
    await tried('peec', { ...files, 'channels.json': channels }),
    await tried('peec', files, { engines: { 'xai-0': 'grok' } }),
  ])
    expect(drop!.files['runs.ndjson']).toContain('"engine":"grok"');
});

test('Otterly: the answers of a prompt that no prompts file lists are skipped by name', async () => {
  const { 'responses-01HXP2.json': responses, ...files } = otterly(false);
  const { failure } = await tried('otterly', {
    ...files,
    'prompts.json': { items: files['prompts.json'].items.slice(0, 1) },
    'responses.json': { ...responses, promptId: '01HXP2' },
  });
  expect(failure[1]).toBe('its prompt is in no prompts file (1): responses.json: runId x of prompt 01HXP2');
});
