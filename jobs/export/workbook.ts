import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { Failure } from '../../lib/failure.ts';

export type Cell = string | number | bigint | boolean | null;
/** `date` and `instant`: numbers of days. */
export type CellStyle = 'plain' | 'text' | 'date' | 'instant';

export interface Sheet {
  name: string;
  columns: readonly { name: string; style: CellStyle }[];
  /** Called when it is this sheet's turn: one after the other. */
  rows: () => AsyncIterable<readonly Record<string, Cell>[]>;
}

/**
 * Writes a workbook (Office Open XML, ECMA-376) row by row, in memory of a few megabytes. Texts are inline strings,
 * which no spreadsheet runs as a formula. The same sheets give the same bytes.
 * @throws Failure for a text that is too long for a cell.
 */
export async function writeWorkbook(path: string, sheets: readonly Sheet[]): Promise<void> {
  const zip = new ZipFile();
  const stop = new AbortController();
  const texts: Readable[] = [];
  for (const [name, text] of partsOf(sheets)) zip.addBuffer(Buffer.from(text), name, ENTRY);
  for (const [index, sheet] of sheets.entries()) {
    zip.addReadStreamLazy(sheetPath(index), ENTRY, (opened) => {
      const text = Readable.from(sheetText(sheet), { objectMode: false, signal: stop.signal });
      text.on('error', (error) => stop.abort(error));
      texts.push(text);
      opened(null, text);
    });
  }
  zip.end();
  try {
    await pipeline(zip.outputStream, createWriteStream(path), { signal: stop.signal });
  } catch (error) {
    const reason: unknown = stop.signal.reason ?? error;
    stop.abort(reason);
    // Rows may still be on their way: a database that is closed meanwhile crashes the process.
    await Promise.allSettled(texts.map(async (text) => await finished(text)));
    throw reason;
  }
}

/** The first instant that a ZIP file can give, so that the bytes do not depend on the clock. */
const ENTRY = { mtime: new Date('1980-01-01T00:00:00'), forceDosTimestamp: true };

const sheetPath = (index: number) => `xl/worksheets/sheet${index + 1}.xml`;
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Index into `cellXfs`. */
const styleIndex: Record<CellStyle | 'head', number> = { plain: 0, text: 1, date: 2, instant: 3, head: 4 };
const STYLES =
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="5">${[
    [0, 0],
    [49, 0],
    [164, 0],
    [165, 0],
    [0, 1],
  ]
    .map(
      ([format, font]) =>
        `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
    )
    .join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>';

/** Every part but the sheets, by its path. */
function partsOf(sheets: readonly Sheet[]): [path: string, text: string][] {
  const types = sheets.map(
    (_, index) => `<Override PartName="/${sheetPath(index)}" ContentType="${CONTENT}.worksheet+xml"/>`,
  );
  const listed = sheets.map(
    ({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const relations = sheets.map((_, index) =>
    relation(index + 1, 'worksheet', sheetPath(index).replace('xl/', '')),
  );
  const parts: [string, string][] = [
    [
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>` +
        `<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>${types.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${SHEETS}" xmlns:r="${RELATIONS}"><sheets>${listed.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}${relation(sheets.length + 1, 'styles', 'styles.xml')}</Relationships>`,
    ],
    ['xl/styles.xml', `<styleSheet xmlns="${SHEETS}">${STYLES}</styleSheet>`],
  ];
  return parts.map(([path, text]) => [path, `${HEAD}${text}`]);
}

async function* sheetText({ name, columns, rows }: Sheet): AsyncGenerator<string> {
  const letters = columns.map((_, index) => letterOf(index));
  yield (
    `${HEAD}<worksheet xmlns="${SHEETS}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${columns.map((column, at) => `<col min="${at + 1}" max="${at + 1}" width="${widthOf(column)}" customWidth="1"/>`).join('')}</cols><sheetData>`
  );
  yield `<row r="1">${columns.map((column, at) => cell(column.name, `${letters[at]}1`, 'head')).join('')}</row>`;
  let number = 1;
  for await (const chunk of rows()) {
    const lines = chunk.map((row) => {
      number += 1;
      const cells = columns.map((column, at) => {
        const value = row[column.name] ?? null;
        if (typeof value === 'string' && value.length > LONGEST_TEXT)
          throw new Failure(
            `the table ${name} has a text of ${value.length} characters in ${column.name}, more than the ` +
              `${LONGEST_TEXT} of a cell; export with --format csv or parquet`,
          );
        return cell(value, `${letters[at]}${number}`, column.style);
      });
      return `<row r="${number}">${cells.join('')}</row>`;
    });
    yield lines.join('');
  }
  yield `</sheetData><autoFilter ref="A1:${letters.at(-1)}${number}"/></worksheet>`;
}

/** In characters. Questions and addresses are long; a head needs space for the arrow of its filter. */
function widthOf({ name, style }: Sheet['columns'][number]): number {
  if (/(?:^|_)(?:text|url|urls)$/.test(name)) return 60;
  return Math.max(name.length + 4, style === 'text' || style === 'instant' ? 20 : 10);
}

/** Of spreadsheets, in UTF-16 units. */
const LONGEST_TEXT = 32_767;

function cell(value: Cell, at: string, style: keyof typeof styleIndex): string {
  if (value === null) return '';
  const start = `<c r="${at}" s="${styleIndex[style]}"`;
  if (typeof value === 'string')
    return `${start} t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
  if (typeof value === 'boolean') return `${start} t="b"><v>${Number(value)}</v></c>`;
  return `${start}><v>${value}</v></c>`;
}

const special: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What XML cannot contain is written `_x0001_` (ST_Xstring), and so is the underscore of a text that looks like that. */
function escaped(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[^\t\n -\ud7ff\ud800-\udfff\ue000-\ufffd]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
      return `_x${code}_`;
    })
    .replaceAll(/[&<>]/g, (character) => special[character]!);
}

/** 0 is A; there are fewer than 26 × 27 columns. */
function letterOf(index: number): string {
  const first = Math.floor(index / 26);
  return (first === 0 ? '' : String.fromCharCode(64 + first)) + String.fromCharCode(65 + (index % 26));
}
