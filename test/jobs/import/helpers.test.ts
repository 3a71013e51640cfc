/** @module-tag long */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { prepareHelpers } from '../../../jobs/import/mapping.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { clock } from './imports.ts';

type Row = Record<string, unknown>;

/** The values of an expression over `t`, for each of some texts. */
async function valuesOf(
  expression: string,
  texts: readonly (string | null)[],
  engines: Record<string, string> = {},
): Promise<unknown[]> {
  const database = await openDatabase({ scratch: await temporaryFolder() });
  try {
    const connection = await database.connect();
    await prepareHelpers(connection, { settings: { given: 'yes' }, engines, clock });
    const rows = await rowsOf<Row>(
      connection,
      `select (${expression})::varchar as v from (
         select unnest(from_json($texts::json, '["varchar"]')) as t, generate_subscripts(from_json($texts::json, '["varchar"]'), 1) as n
       ) order by n`,
      { texts: JSON.stringify(texts) },
    );
    return rows.map(({ v }) => v);
  } finally {
    database.close();
  }
}

/** RFC 9562, 5.5, by its text. */
function uuid5(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

describe('ids', () => {
  const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

  test('are the UUIDv5 of RFC 9562', async () => {
    const names = [
      'www.example.com',
      ...fc.sample(fc.string({ unit: 'grapheme' }), { numRuns: 300, seed: 5 }),
    ].filter((name) => !name.includes('\0'));
    const expected = names.map((name) => uuid5(DNS, name));
    expect(expected[0]).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(await valuesOf(`uuid5('${DNS}', t)`, names)).toEqual(expected);
  });

  test('are the UUID inside a vendor’s id, or depend on source and id', async () => {
    const uuid = '61184892-36ad-4e1a-8178-3a83608f7711';
    const [bare, prefixed, capital, longer, other, none] = await valuesOf("id_of('x', t)", [
      uuid,
      `ch_${uuid}`,
      uuid.toUpperCase(),
      `${uuid}0`,
      'run 7',
      null,
    ]);
    expect([bare, prefixed, capital]).toEqual([uuid, uuid, uuid]);
    expect(longer).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(longer).not.toBe(other);
    expect(none).toBeNull();
    expect(await valuesOf("id_of('y', t)", ['run 7'])).not.toEqual([other]);
  });
});

test('weeks begin on Monday', async () => {
  const days = ['2026-11-16', '2026-11-22', '2026-11-23', '2026-01-01'];
  expect(await valuesOf('monday_of(time_of(t))', days)).toEqual([
    '2026-11-16',
    '2026-11-16',
    '2026-11-23',
    '2025-12-29',
  ]);
});

test('times are instants or dates, and nothing else', async () => {
  const texts = [' 2026-11-16 ', '2026-11-16T01:30:00+02:00', '16.11.2026', '2026-02-30', '', null];
  const read = ['2026-11-16 00:00:00', '2026-11-15 23:30:00', null, null, null, null];
  expect(await valuesOf('time_of(t)', texts)).toEqual(read);
});

test('an engine is known by its name, and never by a near one', async () => {
  const names = [
    'ChatGPT',
    'google_ai-mode',
    ' AI Overviews',
    'Google Gemini',
    'GPT-4o',
    'Copilot',
    'claude-3',
    null,
  ];
  expect(await valuesOf('engine_of(t)', names, { 'claude-3': 'claude' })).toEqual([
    'chatgpt',
    'ai_mode',
    'ai_overview',
    'gemini',
    null,
    null,
    'claude',
    null,
  ]);
  expect(await valuesOf('unknown_engine(t)', ['Copilot', null, 'Grok'])).toEqual([
    'engine is unknown: Copilot',
    'engine is unknown: (none)',
    null,
  ]);
});

test('a cell with URLs is split at blanks, commas, semicolons and “and”, a URL only before another one', async () => {
  const cells = [
    'https://a.example/x;https://b.example/y, http://c.example/',
    'a.example,b.example and  c.example;',
    'https://a.example/x,12;y',
    null,
  ];
  expect(await valuesOf("array_to_string(urls_of(t), ' ')", cells)).toEqual([
    'https://a.example/x https://b.example/y http://c.example/',
    'a.example b.example c.example',
    'https://a.example/x,12;y',
    '',
  ]);
  const urls = [
    'https://a.example/x',
    'a.example',
    'a.example:80/x',
    'and',
    'nope',
    'ftp://a.example',
    'a@b.example',
  ];
  expect(await valuesOf('is_url(t)', urls)).toEqual([
    'true',
    'true',
    'true',
    'false',
    'false',
    'false',
    'false',
  ]);
});

test('a list is separated by semicolons, or by commas where it has none', async () => {
  expect(
    await valuesOf("array_to_string(items_of(t), '|')", ['a, b;', 'a, b ,', 'a;b,c', ' ', null]),
  ).toEqual(['a, b', 'a|b', 'a|b,c', '', '']);
});

test('a number has a decimal point or a decimal comma; 1,234 is none, because it may be either', async () => {
  const texts = ['12,5', '-0,25', '12.5', '7', '1,2345', '1,234', '1.234,5', 'x', null];
  expect(await valuesOf('number_of(t)', texts)).toEqual([
    '12.5',
    '-0.25',
    '12.5',
    '7.0',
    '1.2345',
    null,
    null,
    null,
    null,
  ]);
});

test('dates of a form that is named are read, and ISO 8601 in any case', async () => {
  const dates = ['3/11/2026', '03/11/2026', '2026-11-03', '11/30/2026', '3.11.2026'];
  expect(await valuesOf("time_of(t, 'DD/MM/YYYY')::date", dates)).toEqual([
    '2026-11-03',
    '2026-11-03',
    '2026-11-03',
    null,
    null,
  ]);
  expect(await valuesOf("time_of(t, 'M/D/YY HH:mm')", ['11/3/26 09:05'])).toEqual(['2026-11-03 09:05:00']);
});

test('a setting has a value, a fallback, or an error that names it', async () => {
  expect(await valuesOf("setting('given') || setting('other', t)", ['no'])).toEqual(['yesno']);
  await expect(valuesOf("setting('needed')", ['x'])).rejects.toThrow('the mapping needs --set needed=…');
});

const place = async (name: string, texts: string[]) =>
  (await valuesOf(`word_at(folded(t), trim(folded('${name}')))`, texts)).map((v) =>
    v === null ? null : Number(v),
  );

describe('names in a text', () => {
  test('are whole words, in any case', async () => {
    expect(
      await place('Acme', ['acme', 'x ACME’s', '**Acme**', 'Acmeville', 'Pacme', 'acme1', 'Acmeville, acme']),
    ).toEqual([2, 4, 4, null, null, null, 13]);
    expect(await place('ΟΔΟΣ', ['η οδος', 'οδοσ'])).toEqual([4, 2]);
    expect(await place('C++', ['in C++ or C', 'C'])).toEqual([5, null]);
    expect(await place('Big Co', ['the Big\u00a0Co', 'the big\nco.', 'big, co'])).toEqual([6, 6, null]);
  });

  test('inside a longer name do not count', async () => {
    const texts = ['acme cloud', 'acme cloud acme cloud, acme', 'acme cloudy', 'the acme'];
    const expression = `word_at(without_words(folded(t), ['acme cloud']), 'acme')`;
    expect((await valuesOf(expression, texts)).map((v) => v && Number(v))).toEqual([null, 25, 2, 6]);
  });

  test('are found where a search word by word finds them', async () => {
    const texts = fc
      .sample(
        fc.array(fc.constantFrom('acme', 'Acme', ' ', 'é', '.', 'x', 'ACME inc', 'Ω'), { maxLength: 8 }),
        {
          numRuns: 500,
          seed: 7,
        },
      )
      .map((parts) => parts.join(''));
    const expected = texts.map((text) => {
      const found = /(?<![\p{L}\p{M}\p{N}])acme(?![\p{L}\p{M}\p{N}])/iu.exec(text);
      return found === null ? null : found.index + 2;
    });
    expect(await place('Acme', texts)).toEqual(expected);
  });
});
