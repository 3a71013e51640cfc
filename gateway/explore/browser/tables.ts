import { csvOf } from '../pages/sheets.ts';
import { byId, describe, sheetIn } from './page.ts';

/** What the buttons of every table do: sort its rows, copy it, download it. No request is needed. */
export function listenToTables(fileName: () => string): void {
  byId('content').addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button');
    if (button?.dataset['sort'] !== undefined) sortBy(button);
    const kind = button?.dataset['sheet'];
    if (button === null || kind === undefined) return;
    const sheet = sheetIn(button.closest('.sheet')!.id)!;
    if (kind === 'copy') void copy(button, csvOf(sheet, '\t'));
    else
      download(new Blob(['\ufeff', csvOf(sheet)], { type: 'text/csv' }), `${fileName()}-${sheet.name}.csv`);
  });
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy table'), 2000);
  } catch {
    describe('problem', 'The browser does not let this page copy: download the table instead.');
  }
}

export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Sorts by a column, numbers by size; a second click turns the order. Cells without a value come last. */
function sortBy(button: HTMLButtonElement): void {
  const head = button.closest('th')!;
  const isDescending = head.getAttribute('aria-sort') === 'ascending';
  for (const other of head.parentElement!.children) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
  const body = head.closest('table')!.tBodies[0]!;
  for (const open of body.querySelectorAll('[aria-expanded=true]')) (open as HTMLElement).click();
  const column = Number(button.dataset['sort']);
  const rows = [...body.children].map((row) => ({
    row,
    by: (row.children[column] as HTMLElement).dataset['by'],
  }));
  const isNumber = rows.every(({ by }) => by === undefined || !Number.isNaN(Number(by)));
  const order = new Intl.Collator('en', { numeric: true });
  rows.sort((a, b) => {
    if (a.by === undefined || b.by === undefined)
      return Number(a.by === undefined) - Number(b.by === undefined);
    const difference = isNumber ? Number(a.by) - Number(b.by) : order.compare(a.by, b.by);
    return isDescending ? -difference : difference;
  });
  body.append(...rows.map(({ row }) => row));
}
