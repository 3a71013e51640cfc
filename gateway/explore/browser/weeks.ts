import { lastOfEachWeek, mondayOf, weekBefore as weekBeforeIn } from '../../../lib/weeks/weeks.ts';
import { markup } from '../pages/markup.ts';
import { weekName } from '../pages/week.ts';
import type { Address } from './address.ts';
import type { Snapshot } from './documents.ts';
import { byId, describe, optionOf, show } from './page.ts';
import type { Requests } from './requests.ts';

/** Everything that the page knows. Nothing of it is stored. */
export interface Session {
  requests: Requests;
  /** One of each week that can be read, oldest first. */
  weeks: Snapshot[];
}

/** Requests the weeks of a {@link Session}. */
export async function listWeeks(requests: Requests, signal: AbortSignal): Promise<Snapshot[]> {
  const { data } = await requests.get<Snapshot[]>('/api/v1/snapshots', signal);
  return lastOfEachWeek(data)
    .filter(({ isPruned }) => !isPruned)
    .toReversed();
}

/** The week of the address; the newest if it is not listed. */
export function weekIn({ weeks }: Session, { week }: Address): Snapshot {
  return weeks.find(({ asOf }) => mondayOf(asOf) === week) ?? weeks.at(-1)!;
}

/** The week that is compared with: that of the address, or the one before; null if there is none. */
export function againstIn({ weeks }: Session, { against }: Address, shown: Snapshot): Snapshot | null {
  const chosen = weeks.find(({ asOf }) => mondayOf(asOf) === against && asOf < shown.asOf);
  return chosen ?? weekBeforeIn(weeks.toReversed(), shown);
}

/** The weeks before another one, newest first. */
export function weeksBefore({ weeks }: Session, { asOf }: Snapshot): Snapshot[] {
  return weeks.filter((week) => week.asOf < asOf).toReversed();
}

/** The name of a week, as it is called on every part of the page. */
export function nameIn({ weeks }: Session, { asOf }: Snapshot): string {
  return weekName(asOf, weeks.at(-1)!.asOf);
}

/** Shows the weeks in the slider, and those that can be compared with. */
export function offerWeeks(current: Session, shown: Snapshot, against: Snapshot | null): void {
  const { weeks } = current;
  const slider = byId('week') as HTMLInputElement;
  slider.max = String(weeks.length - 1);
  slider.value = String(weeks.indexOf(shown));
  slider.disabled = weeks.length < 2;
  (byId('earlier') as HTMLButtonElement).disabled = shown === weeks[0];
  (byId('later') as HTMLButtonElement).disabled = shown === weeks.at(-1);
  nameChosen(current);
  const earlier = weeksBefore(current, shown);
  const options = earlier.map((week) =>
    optionOf(nameIn(current, week), mondayOf(week.asOf), week === against),
  );
  show(markup`${options}`, 'against');
  byId('against-choice').hidden = earlier.length === 0;
}

/** The week that the slider is at; it may not be on screen yet. */
export function chosenWeek({ weeks }: Session): Snapshot {
  return weeks[Number((byId('week') as HTMLInputElement).value)]!;
}

export function nameChosen(current: Session): void {
  const name = nameIn(current, chosenWeek(current));
  describe('week-name', name);
  byId('week').setAttribute('aria-valuetext', name);
}
