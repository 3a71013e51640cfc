/** @module-tag long */
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import type { Connection } from '../../../jobs/duckdb.ts';
import { prepareHelpers } from '../../../jobs/import/mapping.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { clock } from './imports.ts';

const newFolder = temporaryFolders();
let database: Awaited<ReturnType<typeof openDatabase>>;
let connection: Connection;
beforeAll(async () => {
  database = await openDatabase({ scratch: await newFolder() });
  connection = await database.connect();
  await prepareHelpers(connection, { settings: { given: 'yes' }, engines: { 'claude-3': 'claude' }, clock });
});
afterAll(() => database.close());

/** The values of an expression over `t`, for each of some texts. */
async function valuesOf(expression: string, texts: readonly (string | null)[]): Promise<unknown[]> {
  const rows = await rowsOf<{ v: unknown }>(
    connection,
    `select (${expression})::varchar as v from (
       select unnest(from_json($texts::json, '["varchar"]')) as t, generate_subscripts(from_json($texts::json, '["varchar"]'), 1) as n
     ) order by n`,
    { texts: JSON.stringify(texts) },
  );
  return rows.map(({ v }) => v);
}

const uuid = '61184892-36ad-4e1a-8178-3a83608f7711';
const place = (name: string) => `word_at(folded(t), trim(folded('${name}')))`;
const urls = "array_to_string(urls_of(t), ' ')";
const items = "array_to_string(items_of(t), '|')";

test.each<[string, string, readonly [text: string | null, value: string | null][]]>([
  [
    'an id is the UUID inside a vendor’s id',
    "id_of('x', t)",
    [
      [uuid, uuid],
      [`ch_${uuid.toUpperCase()}`, uuid],
      [null, null],
    ],
  ],
  [
    'a UUIDv5 is that of RFC 9562',
    "uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', t)",
    [['www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2']],
  ],
  [
    'a week begins on Monday',
    'monday_of(time_of(t))',
    [
      ['2026-11-16', '2026-11-16'],
      ['2026-11-22', '2026-11-16'],
      ['2026-01-01', '2025-12-29'],
    ],
  ],
  [
    'a time is an instant or a date, and nothing else',
    'time_of(t)',
    [
      [' 2026-11-16 ', '2026-11-16 00:00:00'],
      ['2026-11-16T01:30:00+02:00', '2026-11-15 23:30:00'],
      ['16.11.2026', null],
      ['2026-02-30', null],
      [null, null],
    ],
  ],
  [
    'a date of a form that is named is read, and ISO 8601 in any case',
    "time_of(t, 'DD/MM/YYYY')::date",
    [
      ['3/11/2026', '2026-11-03'],
      ['2026-11-03', '2026-11-03'],
      ['11/30/2026', null],
      ['3.11.2026', null],
    ],
  ],
  ['a form may have a time', "time_of(t, 'M/D/YY HH:mm')", [['11/3/26 09:05', '2026-11-03 09:05:00']]],
  [
    'an engine is known by its name, and never by a near one',
    'engine_of(t)',
    [
      ['google_ai-mode', 'ai_mode'],
      [' AI Overviews', 'ai_overview'],
      ['GPT-4o', null],
      ['claude-3', 'claude'],
      [null, null],
    ],
  ],
  [
    'an engine that is unknown has a reason to skip',
    'unknown_engine(t)',
    [
      ['Copilot', 'engine is unknown: Copilot'],
      [null, 'engine is unknown: (none)'],
      ['Grok', null],
    ],
  ],
  [
    'a cell with URLs is split at blanks, commas, semicolons and “and”, a URL only before another one',
    urls,
    [
      [
        'https://a.example/x;https://b.example/y, http://c.example/',
        'https://a.example/x https://b.example/y http://c.example/',
      ],
      ['a.example,b.example and  c.example;', 'a.example b.example c.example'],
      ['https://a.example/x,12;y', 'https://a.example/x,12;y'],
      [null, ''],
    ],
  ],
  [
    'a URL is one of the web',
    'is_url(t)',
    [
      ['https://a.example/x', 'true'],
      ['a.example:80/x', 'true'],
      ['nope', 'false'],
      ['ftp://a.example', 'false'],
      ['a@b.example', 'false'],
    ],
  ],
  [
    'a list is separated by semicolons, or by commas where it has none',
    items,
    [
      ['a, b;', 'a, b'],
      ['a, b ,', 'a|b'],
      ['a;b,c', 'a|b,c'],
      [null, ''],
    ],
  ],
  [
    'a number has a decimal point or a decimal comma; 1,234 is none, because it may be either',
    'number_of(t)',
    [
      ['-0,25', '-0.25'],
      ['12.5', '12.5'],
      ['1,2345', '1.2345'],
      ['1,234', null],
      ['1.234,5', null],
      ['x', null],
    ],
  ],
  ['a setting has a value or a fallback', "setting('given') || setting('other', t)", [['no', 'yesno']]],
  [
    'a name in a text is a whole word, in any case',
    place('Acme'),
    [
      ['x ACME’s', '4'],
      ['**Acme**', '4'],
      ['Pacme', null],
      ['acme1', null],
      ['Acmeville, acme', '13'],
    ],
  ],
  [
    'case is that of Unicode',
    place('ΟΔΟΣ'),
    [
      ['η οδος', '4'],
      ['οδοσ', '2'],
    ],
  ],
  [
    'a name may end with a sign',
    place('C++'),
    [
      ['in C++ or C', '5'],
      ['C', null],
    ],
  ],
  [
    'a blank in a name is any blank',
    place('Big Co'),
    [
      ['the Big\u00a0Co', '6'],
      ['the big\nco.', '6'],
      ['big, co', null],
    ],
  ],
  [
    'a name inside a longer name does not count',
    `word_at(without_words(folded(t), ['acme cloud']), 'acme')`,
    [
      ['acme cloud', null],
      ['acme cloud acme cloud, acme', '25'],
      ['acme cloudy', '2'],
    ],
  ],
])('%s', async (_, expression, rows) => {
  const expected = rows.map(([, value]) => value);
  expect(
    await valuesOf(
      expression,
      rows.map(([text]) => text),
    ),
  ).toEqual(expected);
});

test('a setting that is needed and missing is named', async () => {
  await expect(valuesOf("setting('needed')", ['x'])).rejects.toThrow('the mapping needs --set needed=…');
});

test('names are found where a search word by word finds them', async () => {
  const parts = fc.constantFrom('acme', 'Acme', ' ', 'é', '.', 'x', 'ACME inc', 'Ω');
  const texts = fc
    .sample(fc.array(parts, { maxLength: 8 }), { numRuns: 500, seed: 7 })
    .map((each) => each.join(''));
  const expected = texts.map((text) => {
    const found = /(?<![\p{L}\p{M}\p{N}])acme(?![\p{L}\p{M}\p{N}])/iu.exec(text);
    return found === null ? null : String(found.index + 2);
  });
  expect(await valuesOf(place('Acme'), texts)).toEqual(expected);
});
