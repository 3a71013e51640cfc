import { mondayOf } from '../../../lib/weeks/weeks.ts';
import { addressOf, readAddress } from './address.ts';
import type { Address } from './address.ts';
import type { Snapshot } from './documents.ts';
import { byId, controlById } from './page.ts';
import { chosenWeek, nameChosen } from './weeks.ts';
import type { View } from './views.ts';
import type { Session } from './weeks.ts';

interface Actions {
  /** Null while nothing is on screen. */
  view: () => View | null;
  check: (view: View) => void;
  save: (view: View) => void;
}

/** Goes to another address; the page shows it when the browser says that it changed. */
function go(change: Partial<Address>): void {
  location.hash = addressOf({ ...readAddress(location.hash), ...change });
}

function goToWeek({ weeks }: Session, { asOf }: Snapshot): void {
  go({ week: asOf === weeks.at(-1)!.asOf ? null : mondayOf(asOf), against: null });
}

/** The week `by` weeks later than the one that the slider is at. */
function goBy(current: Session, by: number): void {
  const next = current.weeks[current.weeks.indexOf(chosenWeek(current)) + by];
  if (next !== undefined) goToWeek(current, next);
}

/** What the bar and its menu do. To be called once. */
export function listenToControls({ view, check, save }: Actions): void {
  const on = (id: string, type: string, work: (current: View) => void) =>
    byId(id).addEventListener(type, () => {
      const current = view();
      if (current !== null) work(current);
    });
  on('week', 'input', ({ session }) => nameChosen(session));
  on('week', 'change', ({ session }) => goToWeek(session, chosenWeek(session)));
  on('earlier', 'click', ({ session }) => goBy(session, -1));
  on('later', 'click', ({ session }) => goBy(session, 1));
  on('brand', 'change', () => go({ brand: controlById('brand').value || null, full: null }));
  on('against', 'change', () => go({ against: controlById('against').value }));
  on('every', 'click', () => go({ brand: null, full: 'all' }));
  on('close', 'click', () => location.reload());
  on('print', 'click', () => print());
  on('save', 'click', save);
  on('check', 'click', check);
  on('public-key', 'change', check);
}
