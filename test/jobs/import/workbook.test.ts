/** @module-tag long */
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { temporaryFolder } from '../../support/folder.ts';
import { imported, recordsOf } from './imports.ts';

type Cell = string | number | Date | null | { formula: string; type: 'e' | 'str'; value: string };
const OPEN = 'http://schemas.openxmlformats.org';

/** Writes a workbook with the parts that every spreadsheet program writes: inline texts, numbers, and dates by a style. */
async function writeWorkbook(path: string, sheets: Record<string, Cell[][]>): Promise<void> {
  const zip = new ZipFile();
  const add = (name: string, xml: string) =>
    zip.addBuffer(Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${xml}`), name);
  const names = Object.keys(sheets);
  const overrides = names.map(
    (_, n) =>
      `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
  );
  add(
    '[Content_Types].xml',
    `<Types xmlns="${OPEN}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>${overrides.join('')}</Types>`,
  );
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OPEN}/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const relations = (inner: string) =>
    `<Relationships xmlns="${OPEN}/package/2006/relationships">${inner}</Relationships>`;
  add('_rels/.rels', relations(relation('r', 'officeDocument', 'xl/workbook.xml')));
  add(
    'xl/_rels/workbook.xml.rels',
    relations(
      names.map((_, n) => relation(`r${n}`, 'worksheet', `worksheets/sheet${n}.xml`)).join('') +
        relation('s', 'styles', 'styles.xml'),
    ),
  );
  add(
    'xl/styles.xml',
    `<styleSheet xmlns="${OPEN}/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  );
  add(
    'xl/workbook.xml',
    `<workbook xmlns="${OPEN}/spreadsheetml/2006/main" xmlns:r="${OPEN}/officeDocument/2006/relationships"><sheets>${names.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="r${n}"/>`).join('')}</sheets></workbook>`,
  );
  for (const [n, rows] of Object.values(sheets).entries()) {
    const xml = rows.map(
      (row, r) =>
        `<row r="${r + 1}">${row.map((cell, c) => cellXml(cell, `${'ABCDEFGH'[c]!}${r + 1}`)).join('')}</row>`,
    );
    add(
      `xl/worksheets/sheet${n}.xml`,
      `<worksheet xmlns="${OPEN}/spreadsheetml/2006/main"><sheetData>${xml.join('')}</sheetData></worksheet>`,
    );
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

function cellXml(cell: Cell, at: string): string {
  if (cell === null) return '';
  if (cell instanceof Date) return `<c r="${at}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`;
  if (typeof cell === 'object')
    return `<c r="${at}" t="${cell.type}"><f>${cell.formula}</f><v>${cell.value}</v></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
}

const HEADER = ['brand', 'prompt', 'engine', 'ran_at', 'answer'];
const monday = new Date('2026-11-16T00:00:00Z');

test('a workbook is read like CSV: dates, line breaks, sheets by their names, the rows’ own numbers', async () => {
  const folder = await temporaryFolder();
  const book = join(folder, 'Q4 visibility.xlsx');
  await writeWorkbook(book, {
    Answers: [
      HEADER,
      ['Acme', 'Which?', 'ChatGPT', monday, 'Globex "first",\nthen Acme; < all'],
      [],
      ['Acme', 'Who?', 'Grok', '2026-11-17', 'none'],
      ['Acme', 'What?', 'Grok', 45_000, 'Acme'],
      ['Total', null, null, 3, null],
    ],
    Names: [
      ['brand', 'name', 'aliases'],
      ['Acme', 'Acme', null],
      ['Acme', 'Globex', null],
    ],
    Scratch: [['left'], ['alone']],
  });
  const { report, ...drop } = await imported({ mapping: 'spreadsheet', from: [book], allowSkipped: 40 });
  expect(report).toMatchObject({ read: 3, kept: 2 });
  expect(report.findings.map(({ kind, first }) => [kind, ...first])).toEqual([
    ['skipped', 'Q4 visibility.xlsx sheet Answers row 5: 45000'],
    ['left out', 'Q4 visibility.xlsx sheet Answers row 6: a total: Total'],
  ]);
  expect(report.notes[0]).toBe('Q4 visibility.xlsx sheet Scratch was not read: no table has its name');
  const runs = recordsOf<{ ran_at: string; mentions: { name: string }[] }>(
    { report, ...drop },
    'runs.ndjson',
  );
  expect(runs.find(({ mentions }) => mentions.length > 0)).toMatchObject({
    ran_at: '2026-11-16T00:00:00.000000Z',
    mentions: [{ name: 'Globex', subject: 'competitor' }, { name: 'Acme' }],
  });
  const csv = join(folder, 'answers.csv');
  await writeFile(
    csv,
    `${HEADER.join()}\nAcme,Which?,ChatGPT,2026-11-16,"Globex ""first"",\nthen Acme; < all"\nAcme,Who?,Grok,2026-11-17,none\n`,
  );
  await writeFile(join(folder, 'names.csv'), 'brand,name\nAcme,Acme\nAcme,Globex\n');
  const same = await imported({ mapping: 'spreadsheet', from: [csv, join(folder, 'names.csv')] });
  expect(drop.files['runs.ndjson']).toBe(same.files['runs.ndjson']);
});

test('a file that is no workbook, and a workbook without the sheet, are refused by name', async () => {
  const folder = await temporaryFolder();
  const book = join(folder, 'a.xlsx');
  await writeFile(book, 'no zip');
  await expect(imported({ mapping: 'spreadsheet', from: [book] })).rejects.toThrow(
    /a\.xlsx cannot be read as a workbook: /,
  );
  await writeWorkbook(book, { One: [['x'], ['y']], Two: [['x'], ['y']] });
  await expect(imported({ mapping: 'spreadsheet', from: [book] })).rejects.toThrow(
    /begins with answers, or a sheet of that name; the sheets are One, Two; /,
  );
  await writeWorkbook(book, { One: [['brand', 'prompt']] });
  await expect(imported({ mapping: 'spreadsheet', from: [book] })).rejects.toThrow(
    'cells to mend, or rows to delete: 2',
  );
});

const answer = (text: Cell, prompt = 'Which?') => [
  'Acme',
  prompt,
  'ChatGPT',
  new Date('2026-11-16T08:30:00Z'),
  text,
];

test('a formula is read by its value; one that failed stops the import with its row, in the sheets that are read', async () => {
  const book = join(await temporaryFolder(), 'a.xlsx');
  const failed = { formula: '1/0', type: 'e', value: '#DIV/0!' } as const;
  const computed = answer({ formula: 'A1&amp;B1', type: 'str', value: 'Acme' });
  await writeWorkbook(book, { Answers: [HEADER, computed], Summary: [['x'], [failed]] });
  const drop = await imported({ mapping: 'spreadsheet', from: [book] });
  expect(recordsOf(drop, 'runs.ndjson')).toMatchObject([
    { ran_at: '2026-11-16T08:30:00.000000Z', mentions: [{ name: 'Acme' }] },
  ]);
  await writeWorkbook(book, { Answers: [HEADER, computed, answer(failed, 'Who? <c t="e">')] });
  await expect(imported({ mapping: 'spreadsheet', from: [book] })).rejects.toMatchObject({
    details: ['answer has the error of a formula (1): a.xlsx row 3: #DIV/0!'],
  });
});
