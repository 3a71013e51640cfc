/** @module-tag long */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { tried } from './imports.ts';

const ROW = 'Acme,Which?,ChatGPT,2026-11-16,Acme,,\n';

/** A sheet with a mistake of each kind: a header, a blank cell, a formula, dates, URLs, an engine, and a list of names. */
const mistakes = {
  'answers.csv': [
    'brand,prompt,engine,ran_at,answer,Citation,answer_url\n',
    ROW,
    ',Which?,ChatGPT,2026-11-16,Acme,,\n',
    'Acme,Who?,ChatGPT,gestern,#REF!,,\n',
    'Acme,What?,ChatGPT,2062-11-13,x,,siehe Quelle\n',
    'Acme,Why?,Bing,16.11.2026,x,,\n',
    ...[5, 6, 7, 8].map((n) => `Acme,Why ${n}?,ChatGPT,${n}.11.2026,x,,\n`),
  ].join(''),
  'names.csv': 'brand,name,aliases\nAcne,Globex,#N/A\n',
};

test('all problems of an import are named in one round, each reason with its first three places', async () => {
  const { failure } = await tried('spreadsheet', mistakes);
  const date =
    'ran_at is neither a date (2026-11-16) nor an instant (2026-11-16T08:00:00Z); --set dates=DD/MM/YYYY reads others';
  expect(failure).toEqual([
    'cells to mend, or rows to delete: 14; nothing is written',
    `${date} (6): answers.csv row 4: gestern; answers.csv row 6: 16.11.2026; answers.csv row 7: 5.11.2026 …`,
    'aliases has the error of a formula (1): names.csv row 2: #N/A',
    'answer has the error of a formula (1): answers.csv row 4: #REF!',
    'answer_url is no http or https URL (1): answers.csv row 5: siehe Quelle',
    'brand is missing (1): answers.csv row 3',
    'engine is unknown: Bing (1): answers.csv row 6',
    'no answer has this brand; is “Acme” meant? (1): names.csv row 2: Acne',
    'not read; is the column citations meant? Rename it, or delete it (1): answers.csv row 1: Citation',
    'ran_at: its date is after tomorrow (1): answers.csv row 5: 2062-11-13',
    "to skip these engines on purpose: --engine 'Bing=skip'",
    expect.stringMatching(/^or map one/),
  ]);
});

test('a column that is missing is named once, with those that are not read; what else is wrong, with it', async () => {
  const { failure } = await tried('spreadsheet', {
    'answers.csv':
      'brand,prompt,engine,Datum,answer,citations\nAcme,Which?,ChatGPT,2026-11-16,x,see page 4\n',
  });
  expect(failure).toEqual([
    'cells to mend, or rows to delete: 2; nothing is written',
    'citations has an entry that is no URL; separate URLs by blanks (1): answers.csv row 2: see',
    'there is no column ran_at (1): answers.csv row 1: not read: Datum',
  ]);
});

test('an error of the mapping does not hide the cells to mend, nor they it', async () => {
  const { failure } = await tried(
    'spreadsheet',
    { 'answers.csv': `brand,prompt,engine,ran_at,answer\n,Which?,ChatGPT,16.11.2026,x\n` },
    { settings: { dates: 'tomorrow' } },
  );
  expect(failure).toEqual([
    'cells to mend, or rows to delete: 1; nothing is written',
    'brand is missing (1): answers.csv row 2',
    expect.stringMatching(/^mapping spreadsheet: dates of the form tomorrow: /),
  ]);
});

test('the file of problems has all of them with file, row, column, value and why, whether the import fails or not', async () => {
  const problems = join(await temporaryFolder(), 'problems.csv');
  const written = async () => (await readFile(problems, 'utf8')).split('\n').slice(0, -1);
  await tried('spreadsheet', mistakes, { problems });
  const lines = await written();
  expect(lines).toHaveLength(1 + 14);
  expect(lines[0]).toBe('file,row,column,value,why');
  expect(lines.slice(1, 3)).toEqual([
    'answers.csv,1,Citation,Citation,"not read; is the column citations meant? Rename it, or delete it"',
    'answers.csv,3,brand,,brand is missing',
  ]);
  expect(lines.filter((line) => line.includes('ran_at is neither'))).toHaveLength(6);
  expect(lines.at(-1)).toBe('names.csv,2,brand,Acne,no answer has this brand; is “Acme” meant?');
  const same = 'Acme,Which?,ChatGPT,2026-11-16,none\n';
  const answers = `brand,prompt,engine,ran_at,answer\nAcme,Which?,ChatGPT,2026-11-16,Acme\n${same}`;
  const { drop } = await tried('spreadsheet', { 'answers.csv': answers }, { problems });
  expect(drop!.report.kept).toBe(1);
  expect((await written()).slice(1)).toEqual([
    'answers.csv,3,,answers.csv row 2 stays,"another answer of the same prompt, engine and time: the first stays"',
  ]);
});

test('the file of problems is never written over another file', async () => {
  const folder = await temporaryFolder();
  const other = join(folder, 'other.csv');
  await writeFile(other, 'mine');
  const answers = { 'answers.csv': `brand,prompt,engine,ran_at,answer\nAcme,Which?,ChatGPT,2026-11-16,x\n` };
  const { failure } = await tried('spreadsheet', answers, { problems: other });
  expect(failure).toEqual([`${other} is another file; choose a new one for the problems`]);
  expect(await readFile(other, 'utf8')).toBe('mine');
  const nowhere = join(folder, 'none/problems.csv');
  expect((await tried('spreadsheet', answers, { problems: nowhere })).failure[0]).toMatch(
    /cannot be written: /,
  );
});
