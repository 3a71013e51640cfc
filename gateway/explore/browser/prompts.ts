import type { Stability } from '../../../lib/documents/stability.ts';
import { namedInstead, promptDetails } from '../pages/sections/prompt-details.ts';
import type { BrandWeek } from '../pages/week.ts';
import { describe, show } from './page.ts';

/**
 * Search, filters and the details of the prompts on screen.
 * @param earlier reads the stability of the two weeks before; null for one that is not there
 */
export function listenToPrompts(week: BrandWeek, earlier: () => Promise<(Stability | null)[]>): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('#prompts button[data-prompt]')];
  if (buttons.length === 0) return;
  const filter = () => {
    const [search, change, tag] = ['prompt-search', 'prompt-change', 'prompt-tag'].map(valueOf);
    let shown = 0;
    for (const button of buttons) {
      const row = button.closest('tr')!;
      const isShown =
        button.textContent.toLowerCase().includes(search!.toLowerCase()) &&
        hasChange(row, button, change!) &&
        (tag === '' || (JSON.parse(button.dataset['tags']!) as string[]).includes(tag!));
      row.hidden = !isShown;
      const details = row.nextElementSibling;
      if (details?.classList.contains('details') === true) (details as HTMLElement).hidden = !isShown;
      if (isShown) shown += 1;
    }
    describe(
      'prompt-count',
      shown === buttons.length ? `${shown} prompts` : `${shown} of ${buttons.length} prompts`,
    );
  };
  for (const id of ['prompt-search', 'prompt-change', 'prompt-tag'])
    document.getElementById(id)?.addEventListener('input', filter);
  const instead = document.querySelector<HTMLButtonElement>('#instead button');
  instead?.addEventListener('click', () => void showInstead(instead, week, earlier));
  for (const button of buttons) button.addEventListener('click', () => void toggle(button, week, earlier));
  filter();
}

function valueOf(id: string): string {
  return (document.getElementById(id) as HTMLInputElement | null)?.value ?? '';
}

function hasChange(row: HTMLTableRowElement, button: HTMLButtonElement, wanted: string): boolean {
  const named = Number(row.cells[1]!.dataset['by']);
  if (wanted === 'named') return named > 0;
  if (wanted === 'absent') return named === 0;
  return wanted === '' || button.dataset['changes']!.split(' ').includes(wanted);
}

async function showInstead(
  button: HTMLButtonElement,
  week: BrandWeek,
  earlier: () => Promise<(Stability | null)[]>,
): Promise<void> {
  const past = await earlier();
  if (button.isConnected) show(namedInstead(week, [week.stability, ...past]), 'instead');
}

async function toggle(
  button: HTMLButtonElement,
  { results, stability, brand }: BrandWeek,
  earlier: () => Promise<(Stability | null)[]>,
): Promise<void> {
  const row = button.closest('tr')!;
  const isOpen = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', String(!isOpen));
  if (isOpen) return row.nextElementSibling?.remove();
  const details = document.createElement('tr');
  details.className = 'details';
  details.setAttribute('role', 'row');
  const cell = document.createElement('td');
  cell.setAttribute('role', 'cell');
  cell.colSpan = row.cells.length;
  cell.id = `named-${button.dataset['prompt']}`;
  cell.textContent = 'Loading…';
  details.append(cell);
  row.after(details);
  const prompt = results.prompts.find(({ promptId }) => promptId === button.dataset['prompt'])!;
  const past = await earlier();
  if (cell.isConnected) show(promptDetails(prompt, brand.name, [stability, ...past]), cell.id);
}
