import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { markup, trusted } from './html.ts';
import type { Html } from './html.ts';

const STYLE = ['tables.css', 'page.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('');

/**
 * A complete HTML page in one file. Its Content-Security-Policy allows no scripts, no requests, and only the page's own
 * style, by its hash.
 */
export function page(title: string, body: Html): string {
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'`;
  const document = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>${trusted(STYLE)}</style>
      </head>
      <body>
        ${body}
      </body>
    </html>
`;
  return document.toString();
}

export interface Column {
  name: string;
  isNumber?: boolean;
}

/** Rows beyond this number are shown on screen only: a report must stay short on paper. */
interface TableOptions {
  printedRows?: number;
}

/** A table with a caption for screen readers. Wide tables scroll, also by keyboard. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Html | string | number | null)[])[],
  { printedRows = rows.length }: TableOptions = {},
): Html {
  const isNumber = (index: number) => columns[index]?.isNumber === true;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>${caption}</caption>
      <thead>
        <tr>
          ${columns.map(({ name }, index) => markup`<th scope="col" ${isNumber(index) ? trusted(' class="number"') : null}>${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, number) =>
            markup`<tr ${number < printedRows ? null : trusted('class="screen"')}>
              ${row.map((cell, index) => cellOf(cell, index === 0, isNumber(index)))}
            </tr> `,
        )}
      </tbody>
    </table>
    ${rows.length > printedRows ? markup`<p class="soft paper">The first ${printedRows} of ${rows.length} rows; the page on screen has all.</p>` : null}
  </div>`;
}

function cellOf(cell: Html | string | number | null, isHead: boolean, isNumber: boolean): Html {
  const shown = cell ?? '–';
  if (isHead) return markup`<th scope="row">${shown}</th>`;
  return isNumber ? markup`<td class="number">${shown}</td>` : markup`<td>${shown}</td>`;
}
