import type { Week } from '../../../lib/documents/week.ts';
import { mondayOf } from '../../../lib/weeks/weeks.ts';
import { markup } from '../pages/markup.ts';
import { readAddress } from './address.ts';
import { listenToControls } from './controls.ts';
import { WeekDocuments } from './documents.ts';
import type { Brand } from './documents.ts';
import { keyIn } from './key.ts';
import { closeMenus } from './menus.ts';
import { byId, describe, controlById, optionOf, show } from './page.ts';
import { badgeOf, checkProof, isFree } from './proof.ts';
import { ApiError, Requests } from './requests.ts';
import { hasBadge, saveAsFile, slugOf } from './save.ts';
import { rememberPlaces } from './scroll.ts';
import { listenToTables } from './tables.ts';
import { nothingYet, showView, weeksRead } from './views.ts';
import type { View } from './views.ts';
import { againstIn, listWeeks, nameIn, offerWeeks, weekIn } from './weeks.ts';
import type { Session } from './weeks.ts';

/** Null while no key was accepted, and nothing is on screen. */
let view: View | null = null;
/** Ends the requests of a view that is left. */
let leaving = new AbortController();
/** For the names of files: the brand, or all, and the Monday of the week. */
let fileName = 'brand-visibility';

/** Runs what leads to another view: what came before is ended, and errors are shown in words. */
async function change(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  describe('problem', '');
  // A verdict must not stand above documents that came after it.
  describe('verdict', '');
  const checkButton = controlById('check');
  checkButton.disabled = true;
  try {
    await work(signal);
    if (!signal.aborted) describe('progress', '');
  } catch (error) {
    if (signal.aborted) return;
    describe('progress', '');
    describe('problem', error instanceof ApiError ? error.message : `Something went wrong: ${String(error)}`);
    if (!(error instanceof ApiError)) reportError(error);
    // With another key, or after an upgrade, it can be opened again.
    else if (error.status === 401 || error.status === 402) byId('open').hidden = false;
  } finally {
    if (!signal.aborted) checkButton.disabled = false;
  }
}

async function open(key: string, signal: AbortSignal): Promise<void> {
  describe('progress', 'Loading the week…');
  show(markup``);
  const requests = new Requests(key, (sentence) => describe('progress', sentence));
  const week = await requests.get<Week>('/api/v1/week', signal);
  const weeks = await listWeeks(requests, signal);
  byId('open').hidden = true;
  document.body.classList.add('opened');
  if (week.snapshotId === null) return show(nothingYet);
  byId('bar').hidden = false;
  requests.keep(`/api/v1/snapshots/${week.snapshotId}/week`, week);
  await showAddress({ requests, weeks }, signal);
}

/** Shows the brand in the address, or all brands, in the week of the address. */
async function showAddress(current: Session, signal: AbortSignal): Promise<void> {
  const address = readAddress(location.hash);
  const snapshot = weekIn(current, address);
  const against = againstIn(current, address, snapshot);
  offerWeeks(current, snapshot, against);
  const documents = new WeekDocuments(current.requests, snapshot, signal);
  const older = against === null ? null : new WeekDocuments(current.requests, against, signal);
  view = { session: current, address, documents, older, signal };
  const week = await documents.overview();
  const brand = week.brands.find((each) => each.brand.id === address.brand)?.brand ?? null;
  offerBrands(week, brand);
  document.title = `${brand?.name ?? 'All brands'}, ${nameIn(current, snapshot)}`;
  fileName = `${slugOf(brand?.name ?? 'all brands')}-week-of-${mondayOf(snapshot.asOf)}`;
  await showView(view, week, brand);
  describe('progress', '');
  if (!current.requests.isScarce || isFree(current.requests, weeksRead(view))) await check(view);
  else describe('verdict', 'Proof not checked yet');
}

function offerBrands({ brands }: Week, chosen: Brand | null): void {
  const options = brands.map(({ brand: { id, name } }) => optionOf(name, id, id === chosen?.id));
  show(markup`${optionOf('All brands', '', chosen === null)}${options}`, 'brand');
}

/** Checks the proof of what is on screen. */
async function check(checked: View): Promise<void> {
  const { session: current, signal } = checked;
  const trust = { publicKey: controlById('public-key').value, origin: controlById('origin').value };
  try {
    const verdict = await checkProof(current.requests, weeksRead(checked), trust, signal);
    if (signal.aborted) return;
    byId('verdict').classList.toggle('failed', !verdict.isVerified);
    show(badgeOf(verdict), 'verdict');
    if (verdict.workspaceName !== null) describe('workspace', verdict.workspaceName);
  } catch (error) {
    if (!signal.aborted) describe('verdict', `Not checked: ${(error as Error).message}`);
  }
}

/** Saves what is on screen, with the verdict on it. */
async function save(saved: View): Promise<void> {
  if (!hasBadge()) await check(saved);
  await saveAsFile(fileName);
}

byId('open').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = controlById('key');
  const key = keyIn(field.value);
  if (key === null)
    return describe('problem', 'A key has no blanks: paste only the part that starts with vis_.');
  field.value = '';
  void change(async (signal) => await open(key, signal));
});
// First, because a page whose documents are kept is shown before the next listener is called.
rememberPlaces();
addEventListener('hashchange', () => {
  const left = view;
  if (left !== null) void change(async (signal) => await showAddress(left.session, signal));
});
listenToControls({
  view: () => view,
  check: (current) => void check(current),
  save: (current) => void save(current),
});
listenToTables(() => fileName);
closeMenus();
