import { markup, nameOf, trusted, withNames, withPart } from './markup.ts';
import type { Html } from './markup.ts';
import type { Chart, Sheet } from './parts.ts';

/** A complete HTML page in one file, which runs no script and requests nothing. */
export function page(title: string, style: string, body: Html): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>${trusted(style)}</style>
      </head>
      <body>
        ${body}
      </body>
    </html>
`.text;
}

export interface Column {
  name: string;
  isNumber?: boolean;
}

/** A cell: what is shown, and the value that the table is sorted by if that is another one. */
export type Cell = Html | string | number | null | { shown: Html | string; by: string | number };

interface TableOptions {
  /** What its buttons copy and download; none without. */
  sheet?: Sheet;
  /** The head stays in sight while the page scrolls, and its buttons sort the rows. */
  isSortable?: boolean;
  className?: string;
}

/**
 * A table with a caption, in which names may be isolated. On a phone each row becomes a card, in which a cell carries the
 * name of its column; the roles keep it a table for screen readers.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { sheet, isSortable = false, className = '' }: TableOptions = {},
): Html {
  const decimals = columns.map((_, index) => Math.max(0, ...rows.map((row) => decimalsOf(row[index]))));
  const cells = (row: readonly Cell[]) =>
    row.map((cell, index) => cellOf(cell, columns[index]!, index === 0, decimals[index]!));
  return markup`<div class="table">
    <table role="table" class="${className}${isSortable ? ' sortable' : ''}">
      <caption>${withNames(caption)}</caption>
      <thead role="rowgroup">
        <tr role="row">${columns.map((column, index) => headOf(column, index, isSortable))}</tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => markup`<tr role="row">${cells(row)}</tr> `)}
      </tbody>
    </table>
    ${sheet === undefined ? null : sheetButtons(caption, sheet)}
  </div>`;
}

/** Buttons that copy and download the values of a table or a chart; none if there are no values. */
export function sheetButtons(caption: string, sheet: Sheet): Html | null {
  if (sheet.rows.length === 0) return null;
  const about = caption.replaceAll(/[\u2068\u2069]/g, '');
  return withPart(
    sheet,
    (id) => markup`<p class="sheet screen" id="${id}">
      <button type="button" class="small" data-sheet="copy" aria-label="Copy table: ${about}">Copy table</button>
      <button type="button" class="small" data-sheet="csv" aria-label="Download CSV: ${about}">Download CSV</button>
    </p>`,
  );
}

function headOf({ name, isNumber }: Column, index: number, isSortable: boolean): Html {
  const kind = isNumber === true ? trusted(' class="number"') : null;
  const label = isSortable
    ? markup`<button type="button" data-sort="${index}">${withNames(name)}</button>`
    : withNames(name);
  return markup`<th role="columnheader" scope="col" ${kind}>${label}</th>`;
}

function decimalsOf(cell: unknown): number {
  return typeof cell === 'number' ? (String(cell).split('.')[1]?.length ?? 0) : 0;
}

function cellOf(cell: Cell, { name, isNumber = false }: Column, isHead: boolean, decimals: number): Html {
  const by = cell !== null && typeof cell === 'object' && 'by' in cell ? cell.by : cell;
  const given = cell !== null && typeof cell === 'object' && 'by' in cell ? cell.shown : (cell ?? '–');
  // The digits of a column stand below each other: 69.0 below 49.8.
  const shown = typeof given === 'number' && isNumber ? given.toFixed(decimals) : given;
  const sort = typeof by === 'string' || typeof by === 'number' ? markup` data-by="${by}"` : null;
  if (isHead)
    return markup`<th role="rowheader" scope="row"${sort}>${typeof shown === 'string' ? nameOf(shown) : shown}</th>`;
  const kind = isNumber ? trusted(' class="number"') : null;
  return markup`<td role="cell"${kind}${sort} data-label="${name.replaceAll(/[\u2068\u2069]/g, '')}"><span>${shown}</span></td>`;
}

/**
 * A link to a page elsewhere, in a tab of its own: this page would forget the key. Only its text if the address is not
 * http or https.
 */
export function link(url: string | null, text: string): Html {
  if (url === null || !/^https?:\/\//i.test(url)) return markup`${text}`;
  return markup`<a href="${url}" target="_blank" rel="noreferrer">${text}</a>`;
}

/** A word for a status. Its shape says it too: status is never by colour alone. */
export function chip(kind: 'silent' | 'moved' | 'lasting' | 'chance' | 'calm', text: string): Html {
  const signs = { silent: '○', moved: '◆', lasting: '▬', chance: '◇', calm: '✓' };
  return markup`<span class="chip ${kind}"><span aria-hidden="true">${signs[kind]}</span> ${text}</span>`;
}

/** The place of a chart. */
export function chart(spec: Chart): Html {
  return withPart(spec, (id) => markup`<div class="chart ${spec.kind}" id="${id}"></div>`);
}
