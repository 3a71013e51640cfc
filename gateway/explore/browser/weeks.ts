import { isStanding, lastOfEachWeek, mondayOf } from '../../../lib/weeks/weeks.ts';
import type { Snapshot } from './documents.ts';
import { byId, describe } from './page.ts';
import type { Requests } from './requests.ts';

/** Everything that the page knows. Nothing of it is stored. */
export interface Session {
  requests: Requests;
  /** One of each week that can be read, oldest first, and the one on screen; empty until listed. */
  weeks: Snapshot[];
  /** The snapshot on screen. */
  snapshotId: string;
}

export function snapshotOf({ weeks, snapshotId }: Session): Snapshot {
  return weeks.find(({ id }) => id === snapshotId)!;
}

export function weekBefore(current: Session): Snapshot | null {
  const monday = mondayOf(snapshotOf(current).asOf);
  return current.weeks.findLast((week) => isStanding(week) && mondayOf(week.asOf) < monday) ?? null;
}

/** Fills the slider, once. */
export async function listWeeks(current: Session, signal: AbortSignal): Promise<void> {
  if (current.weeks.length > 0) return;
  const { data } = await current.requests.get<Snapshot[]>('/api/v1/snapshots', signal);
  const weeks = new Set(lastOfEachWeek(data).filter(({ isPruned }) => !isPruned));
  current.weeks = data.filter((each) => weeks.has(each) || each.id === current.snapshotId).toReversed();
  const slider = byId('week') as HTMLInputElement;
  slider.max = String(current.weeks.length - 1);
  slider.value = String(current.weeks.indexOf(snapshotOf(current)));
  slider.disabled = current.weeks.length < 2;
  nameWeek(current);
}

/** The week that the slider is at; it may not be on screen yet. */
export function chosenWeek({ weeks }: Session): Snapshot {
  return weeks[Number((byId('week') as HTMLInputElement).value)]!;
}

export function nameWeek(current: Session): void {
  const { asOf, withdrawn } = chosenWeek(current);
  const name = `as of ${asOf.slice(0, 10)}${withdrawn === null ? '' : `, withdrawn as ${withdrawn}`}`;
  describe('week-name', name);
  describe('week-printed', `, ${name}`);
  byId('week').setAttribute('aria-valuetext', name);
}
