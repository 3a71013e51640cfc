/** @module-tag long */
import { describe, expect, test } from 'vitest';
import { warningsOf } from '../../../jobs/import/report/report.ts';
import { findingsOf, recordsOf, runsOf, tried } from './imports.ts';
import type { Given } from './imports.ts';

const HEADER = 'brand,prompt,engine,ran_at,answer,named,citations\n';
const sheet = async (rows: string[], names = '', more: Partial<Given> = {}) =>
  await tried(
    'spreadsheet',
    {
      'answers.csv': HEADER + rows.map((row) => `${row}\n`).join(''),
      ...(names === '' ? {} : { 'names.csv': `brand,name,aliases\n${names}` }),
    },
    more,
  );
const row = (
  given: Partial<Record<'brand' | 'prompt' | 'engine' | 'ranAt' | 'answer' | 'named' | 'citations', string>>,
) => {
  const { brand = 'Acme', prompt = 'Which?', engine = 'ChatGPT', ranAt = '2026-11-16' } = given;
  return [brand, prompt, engine, ranAt, given.answer ?? '', given.named ?? '', given.citations ?? '']
    .map((cell) => `"${cell}"`)
    .join(',');
};

describe('a spreadsheet as people make it', () => {
  test('aliases and names with commas are several names, and the report says so', async () => {
    const { drop } = await sheet(
      [
        row({ answer: 'Try MS CRM.' }),
        row({ prompt: 'Who?', named: 'Acme, Globex' }),
        row({ prompt: 'What?', named: 'Globex, Inc;' }),
        row({ prompt: 'Why?', named: 'Hooli\nAcme' }),
      ],
      'Acme,Acme,"Mueller, MS CRM"\nAcme,"Globex, Inc",\n',
    );
    const named = runsOf(drop).map(({ mentions }) =>
      mentions.map(({ name, subject }) => `${name} ${subject}`),
    );
    expect(new Set(named.map((names) => names.join()))).toEqual(
      new Set([
        'Acme brand,Globex other',
        'Globex, Inc competitor',
        'MS CRM brand',
        'Hooli other,Acme brand',
      ]),
    );
    expect(drop!.report.notes).toContainEqual(expect.stringMatching(/^aliases: commas .*“Mueller, MS CRM”/));
    expect(drop!.report.notes).toContainEqual(expect.stringMatching(/^named: commas .*“Acme, Globex”/));
  });

  test('answers may contain lines that look like rows of the export, in a large file too', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `${n},Acme,5,yes,good,a,b`).join('\n');
    const rows = Array.from({ length: 4000 }, (_, n) => row({ prompt: `Which ${n}?`, answer: lines }));
    const { drop, failure } = await sheet(rows);
    expect(failure).toEqual([]);
    expect(runsOf(drop)).toHaveLength(4000);
  });

  test.each([
    ['https://a.example/x;https://b.example/y', ['https://a.example/x', 'https://b.example/y']],
    ['https://a.example/x,http://b.example/y', ['https://a.example/x', 'http://b.example/y']],
    ['a.example and b.example', ['a.example', 'b.example']],
    ['https://www.g2.com/crm, https://c.example/', ['https://www.g2.com/crm', 'https://c.example/']],
    [
      'https://a.example/x,12;y\n b.example,c.example',
      ['https://a.example/x,12;y', 'b.example', 'c.example'],
    ],
    [
      'https://a.example/x|https://b.example/y | c.example',
      ['https://a.example/x', 'https://b.example/y', 'c.example'],
    ],
  ])('citations %j', async (citations, urls) => {
    const { drop } = await sheet([row({ answer: 'Acme', citations })]);
    expect(runsOf(drop)[0]!.citations.map(({ url }) => url)).toEqual(urls);
  });

  test.each(['see page 4', 'ftp://a.example/', 'https:///', 'a@b.example'])(
    'a citation that is no URL, %j, is refused with its row',
    async (citations) => {
      const { failure } = await sheet([
        row({ answer: 'Acme' }),
        row({ prompt: 'Who?', answer: 'x', citations }),
      ]);
      expect(failure[1]).toMatch(
        `citations has an entry that is no URL; separate URLs by blanks (1): answers.csv row 3: ${citations.split(' ')[0]}`,
      );
    },
  );

  test('brands and prompts that differ in case, blanks or Unicode form only are one, and the report says so', async () => {
    const { drop } = await sheet([
      row({ brand: 'Café', answer: 'Café' }),
      row({ brand: 'Café', prompt: ' which?', engine: 'Grok', answer: 'Café' }),
      row({ brand: 'Cafe\u0301 ', engine: 'Claude', answer: 'CAFÉ' }),
      row({ brand: 'CAFÉ', engine: 'Gemini', answer: 'x' }),
    ]);
    expect(recordsOf(drop!, 'brands.ndjson')).toMatchObject([{ name: 'Café' }]);
    expect(recordsOf(drop!, 'prompts.ndjson')).toMatchObject([{ text: 'Which?' }]);
    expect(drop!.report.brands).toMatchObject([{ answers: 4, namedIn: 3, engines: 4 }]);
    expect(drop!.report.notes.join('\n')).toMatch(/^One brand, .*: “CAFÉ”, “Cafe\u0301 ”, “Café”$/m);
  });

  test('rows with a first cell only and totals are left out and named; a row without a brand stops the import', async () => {
    const { drop } = await sheet([
      row({ answer: 'Acme' }),
      'Checked by Kim,,,,,,',
      '"Grand total",,,17,,,',
      ',,,,,,',
    ]);
    expect(drop!.report.read).toBe(1);
    expect(findingsOf(drop, 'left out')).toMatchObject([
      {
        records: 2,
        first: [
          'answers.csv row 3: nothing but its first cell: Checked by Kim',
          'answers.csv row 4: a total: Grand total',
        ],
      },
    ]);
    const { failure } = await sheet([
      row({}),
      ...Array.from({ length: 4 }, () => row({ brand: '', engine: ' ' })),
    ]);
    expect(failure).toEqual([
      'cells to mend, or rows to delete: 8; nothing is written',
      'brand is missing (4): answers.csv row 3; answers.csv row 4; answers.csv row 5 …',
      'engine is missing (4): answers.csv row 3; answers.csv row 4; answers.csv row 5 …',
    ]);
  });

  test('dates are read in the form that --set dates names, and in no other', async () => {
    const rows = [
      row({ ranAt: '3/11/2026', answer: 'x' }),
      row({ prompt: 'Who?', ranAt: '2026-11-04', answer: 'x' }),
    ];
    const { drop } = await sheet(rows, '', { settings: { dates: 'DD/MM/YYYY' } });
    const dates = recordsOf<{ ran_at: string }>(drop!, 'runs.ndjson').map(({ ran_at }) =>
      ran_at.slice(0, 10),
    );
    expect(dates.toSorted()).toEqual(['2026-11-03', '2026-11-04']);
    expect((await sheet(rows)).failure[1]).toMatch(
      /--set dates=DD\/MM\/YYYY reads others \(1\): answers\.csv row 2: 3\/11\/2026$/,
    );
    const short = await sheet([row({ ranAt: '3/11/26', answer: 'x' })], '', {
      settings: { dates: 'DD/MM/YYYY' },
    });
    expect(short.failure[1]).toMatch(/ran_at is neither .*: answers\.csv row 2: 3\/11\/26$/);
    const { failure } = await sheet(rows, '', { settings: { dates: 'tomorrow' } });
    expect(failure[0]).toMatch(/dates of the form tomorrow: a form has DD, MM and YYYY/);
  });

  test('a brand that is never named, or has no competitors, stands out with a sentence', async () => {
    const { drop } = await sheet([row({ named: 'Globex; Hooli' }), row({ prompt: 'Who?', named: 'Globex' })]);
    expect(drop!.report.brands).toMatchObject([
      { brand: 'Acme', answers: 2, namedIn: 0, competitors: 0, others: ['Globex (2)', 'Hooli (1)'] },
    ]);
    expect(warningsOf(drop!.report.brands[0]!)).toEqual([
      'Acme is named in none of its answers (2): check its name and its aliases; most named others: Globex (2), Hooli (1)',
      'Acme has no competitors: its share of voice will be 100 %; most named others: Globex (2), Hooli (1); list competitors (in names.csv) to compare',
      'Acme: no answer has a citation',
    ]);
  });

  test('all unknown engines are named at once, with the options to paste; one that is skipped on purpose is counted apart', async () => {
    const rows = ['Bing', 'GPT-4o', 'You.com', 'Mistral', 'ChatGPT'].map((engine) =>
      row({ engine, answer: 'x' }),
    );
    const { failure } = await sheet(rows);
    expect(failure[0]).toBe('4 of 5 answers were skipped, more than 5 %; nothing is written');
    expect(failure.slice(1, 5).every((line) => line.startsWith('engine is unknown: '))).toBe(true);
    expect(failure).toContain(
      `to skip these engines on purpose: --engine 'Bing=skip' --engine 'GPT-4o=skip' --engine 'Mistral=skip' --engine 'You.com=skip'`,
    );
    const engines = { bing: 'skip', 'gpt-4o': 'skip', mistral: 'skip', 'you.com': 'skip' };
    const { drop } = await sheet(rows, '', { engines });
    expect(drop!.report).toMatchObject({ read: 5, kept: 1 });
    expect(findingsOf(drop, 'skipped on purpose')).toContainEqual(
      expect.objectContaining({ reason: 'skipped on purpose: Bing', records: 1 }),
    );
  });

  test('columns that are not read are named; one whose name is near that of a column stops the import', async () => {
    const names = { 'names.csv': 'Brand,Name,note\nAcme,Acme,x\n' };
    const line = 'Acme,Which?,ChatGPT,2026-11-16,x,a.example,\n';
    const { drop } = await tried('spreadsheet', {
      'answers.csv': `brand,prompt,engine,ran_at,answer,citations,\n${line}`,
      ...names,
    });
    expect(drop!.report.notes.slice(0, 2)).toEqual([
      'answers.csv has columns that are not read: column 7',
      'names.csv has columns that are not read: note',
    ]);
    const { failure } = await tried('spreadsheet', {
      'answers.csv': `brand,prompt,engine,ran_at,Answer text,citation,\n${line}`,
      'names.csv': 'brand,name,alias,domains\nAcme,Acme,x,y\n',
    });
    const advice = 'Rename it, or delete it (1)';
    expect(failure.toSorted()).toEqual([
      'cells to mend, or rows to delete: 4; nothing is written',
      `not read; is the column aliases meant? ${advice}: names.csv row 1: alias`,
      `not read; is the column answer meant? ${advice}: answers.csv row 1: Answer text`,
      `not read; is the column citations meant? ${advice}: answers.csv row 1: citation`,
      `not read; is the column domain meant? ${advice}: names.csv row 1: domains`,
    ]);
  });

  test('the error of a formula stops the import', async () => {
    const { failure } = await sheet([row({ answer: '#REF!' }), row({ prompt: 'Who?', answer: 'Not #REF!' })]);
    expect(failure).toEqual([
      'cells to mend, or rows to delete: 1; nothing is written',
      'answer has the error of a formula (1): answers.csv row 2: #REF!',
    ]);
  });

  test('a name of two competitors, and a text beside the status no_answer, are reported', async () => {
    const { drop } = await tried('spreadsheet', {
      'answers.csv':
        'brand,prompt,engine,ran_at,answer,status\nAcme,Which?,ChatGPT,2026-11-16,GX,no_answer\n',
      'names.csv': 'brand,name,aliases\nAcme,Globex,GX\nAcme,Hooli,gx\nAcme,Initech,Initech\n',
    });
    expect(findingsOf(drop, 'left out')).toMatchObject([
      { reason: expect.stringMatching(/^a name of several: /) as string, records: 1, first: ['GX'] },
    ]);
    expect(drop!.report.notes).toContain(
      'The texts of 1 answers were not searched, because their status is not success: “no_answer”',
    );
  });

  test('of two answers of one prompt, engine and instant the first row stays, and the others are named', async () => {
    for (const answers of [
      ['Acme', 'none', 'none'],
      ['none', 'Acme', 'Acme'],
    ]) {
      const { drop } = await sheet(answers.map((answer) => row({ answer })));
      expect(runsOf(drop)[0]!.mentions).toHaveLength(answers[0] === 'Acme' ? 1 : 0);
      expect(findingsOf(drop, 'merged')).toEqual([
        {
          kind: 'merged',
          reason: 'another answer of the same prompt, engine and time: the first stays',
          records: 1,
          first: ['answers.csv row 3: answers.csv row 2 stays'],
        },
        {
          kind: 'merged',
          reason: 'the same answer again',
          records: 1,
          first: ['answers.csv row 4: answers.csv row 2 stays'],
        },
      ]);
    }
  });

  test('an answer from after tomorrow is refused', async () => {
    const now = { now: () => Date.parse('2026-11-26T23:00:00Z') };
    const rows = ['2026-11-27', '2026-11-28', '2062-11-13T08:00:00Z'].map((ranAt) => row({ ranAt }));
    const { failure } = await sheet(rows, '', { clock: now });
    expect(failure.slice(0, 2)).toEqual([
      '2 of 3 answers were skipped, more than 5 %; nothing is written',
      'ran_at: its date is after tomorrow (2): answers.csv row 3: 2026-11-28; answers.csv row 4: 2062-11-13T08:00:00Z',
    ]);
    const { drop } = await sheet(rows, '', { clock: now, allowSkipped: 70 });
    expect(drop!.report).toMatchObject({ kept: 1, newestCycle: '2026-11-23' });
  });

  test('an answer that is empty and has citations is named', async () => {
    const { drop } = await sheet([
      row({ answer: 'Acme' }),
      row({ prompt: 'Who?', citations: 'a.example b.example' }),
    ]);
    expect(findingsOf(drop, 'left out')).toMatchObject([
      {
        reason: 'the citations of an answer without a text: its status is not success',
        records: 1,
        first: ['answers.csv row 3: a.example b.example'],
      },
    ]);
  });

  test.each([
    ['Nordlicht Kaffee', 'Nordlicht Kafee', true],
    ['Acme', 'Acne', true],
    ['Team 1', 'Team 2', false],
    ['Acme', 'Globex', false],
  ])(
    'answers of %s and a list of names of %s: refused, with the nearest: %s',
    async (brand, listed, isRefused) => {
      const { drop, failure } = await sheet(
        [row({ brand, answer: brand })],
        `${brand},${brand},\n${listed},Hooli,\n`,
      );
      const lines = [
        'cells to mend, or rows to delete: 1; nothing is written',
        `no answer has this brand; is “${brand}” meant? (1): names.csv row 3: ${listed}`,
      ];
      expect(failure).toEqual(isRefused ? lines : []);
      expect(drop === null).toBe(isRefused);
    },
  );
});
