import { markup, nameOf, trusted, withNames } from './markup.ts';
import type { Html } from './markup.ts';

/**
 * A complete HTML page in one file, which runs no script and requests nothing.
 * @param styleSource what its Content-Security-Policy allows as style, such as `'sha256-…'`
 */
export function page(title: string, style: string, styleSource: string, body: Html): string {
  const policy = `default-src 'none'; style-src ${styleSource}; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
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

/** Rows beyond this number are shown on screen only: a report must stay short on paper. */
interface TableOptions {
  printedRows?: number;
}

/** A table with a caption, in which names may be isolated, for screen readers. Wide tables scroll, also by keyboard. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string | number | null)[])[],
  { printedRows = rows.length }: TableOptions = {},
): Html {
  const isNumber = (index: number) => columns[index]?.isNumber === true;
  const decimals = columns.map((_, index) => Math.max(0, ...rows.map((row) => decimalsOf(row[index]))));
  // The digits of a column stand below each other: 69.0 below 49.8.
  const shown = (cell: Html | string | number | null, index: number) =>
    typeof cell === 'number' && isNumber(index) ? cell.toFixed(decimals[index]) : cell;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>${withNames(caption)}</caption>
      <thead>
        <tr>
          ${columns.map(({ name }, index) => markup`<th scope="col" ${isNumber(index) ? trusted(' class="number"') : null}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, number) =>
            markup`<tr ${number < printedRows ? null : trusted('class="screen"')}>
              ${row.map((cell, index) => cellOf(shown(cell, index), index === 0, isNumber(index)))}
            </tr> `,
        )}
      </tbody>
    </table>
    ${rows.length > printedRows ? markup`<p class="soft paper">The first ${printedRows} of ${rows.length} rows; the page on screen has all.</p>` : null}
  </div>`;
}

function decimalsOf(cell: unknown): number {
  return typeof cell === 'number' ? (String(cell).split('.')[1]?.length ?? 0) : 0;
}

function cellOf(cell: Html | string | number | null, isHead: boolean, isNumber: boolean): Html {
  const shown = cell ?? '–';
  if (isHead) return markup`<th scope="row">${typeof shown === 'string' ? nameOf(shown) : shown}</th>`;
  return isNumber ? markup`<td class="number">${shown}</td>` : markup`<td>${shown}</td>`;
}

/** A link to a page elsewhere; only its text if the address is not http or https. */
export function link(url: string | null, text: string): Html {
  if (url === null || !/^https?:\/\//i.test(url)) return markup`${text}`;
  return markup`<a href="${url}" rel="noreferrer">${text}</a>`;
}
