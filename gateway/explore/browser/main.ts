import type { Week } from '../../../lib/documents/week.ts';
import { mondayOf } from '../../../lib/weeks/weeks.ts';
import { brandSection } from '../pages/sections/brand.ts';
import type { Compared } from '../pages/sections/brand.ts';
import { everyBrand, everyTables } from '../pages/sections/every-brand.ts';
import type { EveryTables } from '../pages/sections/every-brand.ts';
import { glance } from '../pages/sections/glance.ts';
import { engineCharts } from '../pages/sections/visibility.ts';
import { markup } from '../pages/markup.ts';
import { addressOf, readAddress } from './address.ts';
import type { Address } from './address.ts';
import { WeekDocuments } from './documents.ts';
import type { Brand, Snapshot } from './documents.ts';
import { keyIn } from './key.ts';
import { byId, describe, show } from './page.ts';
import { closeMenus } from './menus.ts';
import { bandsBefore, stabilities } from './past-weeks.ts';
import { listenToPrompts } from './prompts.ts';
import { badgeOf, checkProof } from './proof.ts';
import { ApiError, Requests } from './requests.ts';
import { saveAsFile, slugOf } from './save.ts';
import { rememberPlaces, returnToPlace } from './scroll.ts';
import { listenToTables } from './tables.ts';
import { againstIn, chosenWeek, listWeeks, nameChosen, nameIn, offerWeeks, weekIn } from './weeks.ts';
import type { Session } from './weeks.ts';

/** Null while no key was accepted. */
let session: Session | null = null;
/** The documents on screen, of the week and of the one that it is compared with. */
let shown: { documents: WeekDocuments; name: string }[] = [];
/** Ends the requests of a view that is left. */
let leaving = new AbortController();
/** For the names of files: the brand, or all, and the Monday of the week. */
let fileName = 'brand-visibility';

/** Runs one view: what came before it is ended, and errors are shown in words. */
async function view(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  describe('problem', '');
  // A verdict must not stand above documents that came after it.
  describe('verdict', '');
  const checkButton = byId('check') as HTMLButtonElement;
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

async function open(key: string): Promise<void> {
  await view(async (signal) => {
    describe('progress', 'Loading the week…');
    show(markup``);
    const requests = new Requests(key, reportWait);
    const week = await requests.get<Week>('/api/v1/week', signal);
    byId('open').hidden = true;
    document.body.classList.add('opened');
    if (week.snapshotId === null) return show(nothingYet);
    byId('bar').hidden = false;
    requests.keep(`/api/v1/snapshots/${week.snapshotId}/week`, week);
    session = { requests, weeks: [] };
    await showAddress(session, signal);
  });
}

const nothingYet = markup`<p>
  Nothing has been published for this workspace yet: it is warming up. The first week appears here after the first weekly
  run.
</p>`;

/** Shows the brand in the address, or all brands, in the week of the address. */
async function showAddress(current: Session, signal: AbortSignal): Promise<void> {
  await listWeeks(current, signal);
  const address = readAddress(location.hash);
  const snapshot = weekIn(current, address);
  const against = againstIn(current, address, snapshot);
  offerWeeks(current, snapshot, against);
  const documents = new WeekDocuments(current.requests, snapshot, signal);
  const older = against === null ? null : new WeekDocuments(current.requests, against, signal);
  shown = [{ documents, name: nameIn(current, snapshot) }];
  const week = await documents.overview();
  const brand = week.brands.find((each) => each.brand.id === address.brand)?.brand ?? null;
  offerBrands(week, brand);
  const name = nameIn(current, snapshot);
  document.title = `${brand?.name ?? 'All brands'}, ${name}`;
  fileName = `${slugOf(brand?.name ?? 'all brands')}-week-of-${mondayOf(snapshot.asOf)}`;
  if (week.brands.length === 0) return show(markup`<p>This workspace has no brands yet.</p>`);
  if (brand === null && address.full === 'all') await showEveryBrand(week, documents, signal);
  else if (brand === null) await showGlance(current, week, older, signal);
  else await showBrand(current, brand, [documents, older], signal);
  describe('progress', '');
  if (!current.requests.isScarce) await check(current, signal);
}

/** The glance takes one request, and the other week, for what changed, another one. */
async function showGlance(
  current: Session,
  week: Week,
  older: WeekDocuments | null,
  signal: AbortSignal,
): Promise<void> {
  const address = readAddress(location.hash);
  const addressOfBrand = (brand: string) => addressOf({ ...address, full: null, brand });
  show(glance({ week, before: null, addressOf: addressOfBrand }));
  returnToPlace();
  if (older === null) return;
  const before = { week: await older.overview(), name: nameIn(current, older.snapshot) };
  signal.throwIfAborted();
  shown.push({ documents: older, name: before.name });
  show(glance({ week, before, addressOf: addressOfBrand }));
  returnToPlace();
}

/** Every brand in full, from a few tables of all brands. */
async function showEveryBrand(week: Week, documents: WeekDocuments, signal: AbortSignal): Promise<void> {
  describe('progress', 'Loading every brand…');
  const read = everyTables.map(async (name) => [name, await documents.table(name)] as const);
  const tables = Object.fromEntries(await Promise.all(read)) as unknown as EveryTables;
  signal.throwIfAborted();
  const list = addressOf({ ...readAddress(location.hash), full: null });
  show(markup`<p class="screen"><a href="${list}">The list of brands</a></p>${everyBrand(week, tables)}`);
  returnToPlace();
}

async function showBrand(
  current: Session,
  brand: Brand,
  [documents, older]: [WeekDocuments, WeekDocuments | null],
  signal: AbortSignal,
): Promise<void> {
  describe('progress', `Loading ${brand.name}…`);
  const [week, earlier] = await Promise.all([documents.week(brand), older?.earlier(brand) ?? null]);
  signal.throwIfAborted();
  const before: Compared | null =
    older === null || earlier === null
      ? null
      : { documents: earlier, name: nameIn(current, older.snapshot), snapshot: older.snapshot };
  if (before !== null) shown.push({ documents: older!, name: before.name });
  show(brandSection(week, documents.snapshot, before, []));
  returnToPlace();
  listenToPrompts(week, async () => await stabilities(current, brand, documents.snapshot, signal));
  const bands = await bandsBefore(current, brand, documents.snapshot, signal);
  signal.throwIfAborted();
  if (bands.length > 0 && week.visibility.perEngine.length > 0) show(engineCharts(week, bands), 'engines');
}

function offerBrands({ brands }: Week, chosen: Brand | null): void {
  (byId('brand') as HTMLSelectElement).replaceChildren(
    new Option('All brands', '', false, chosen === null),
    ...brands.map(({ brand: { id, name } }) => new Option(name, id, false, id === chosen?.id)),
  );
}

async function check(current: Session, signal: AbortSignal): Promise<void> {
  const trust = {
    publicKey: (byId('public-key') as HTMLTextAreaElement).value,
    origin: (byId('origin') as HTMLInputElement).value,
  };
  try {
    const verdict = await checkProof(current.requests, shown, trust, signal);
    if (signal.aborted) return;
    byId('verdict').classList.toggle('failed', !verdict.isVerified);
    show(badgeOf(verdict), 'verdict');
    if (verdict.workspaceName !== null) describe('workspace', verdict.workspaceName);
  } catch (error) {
    if (!signal.aborted) describe('verdict', `Not checked: ${(error as Error).message}`);
  }
}

function reportWait(seconds: number | null): void {
  describe(
    'progress',
    seconds === null
      ? ''
      : `Waiting ${seconds} s: the requests of this minute are used up, apart from those left to your scripts.`,
  );
}

function again(): void {
  const current = session;
  if (current !== null) void view(async (signal) => await showAddress(current, signal));
}

/** Goes to another address; the page shows it when the browser says that it changed. */
function go(change: Partial<Address>): void {
  location.hash = addressOf({ ...readAddress(location.hash), ...change });
}

function goToWeek(snapshot: Snapshot): void {
  const isNewest = snapshot === session!.weeks.at(-1);
  go({ week: isNewest ? null : mondayOf(snapshot.asOf), against: null });
}

byId('open').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId('key') as HTMLInputElement;
  const key = keyIn(field.value);
  if (key === null)
    return describe('problem', 'A key has no blanks: paste only the part that starts with vis_.');
  field.value = '';
  void open(key);
});
byId('week').addEventListener('input', () => {
  if (session !== null) nameChosen(session);
});
byId('week').addEventListener('change', () => {
  if (session !== null) goToWeek(chosenWeek(session));
});
for (const [id, step] of [
  ['earlier', -1],
  ['later', 1],
] as const)
  byId(id).addEventListener('click', () => {
    const next = session!.weeks[session!.weeks.indexOf(chosenWeek(session!)) + step];
    if (next !== undefined) goToWeek(next);
  });
byId('brand').addEventListener('change', ({ target }) =>
  go({ brand: (target as HTMLSelectElement).value || null, full: null }),
);
byId('against').addEventListener('change', ({ target }) =>
  go({ against: (target as HTMLSelectElement).value }),
);
byId('every').addEventListener('click', () => go({ brand: null, full: 'all' }));
byId('close').addEventListener('click', () => location.reload());
byId('print').addEventListener('click', () => print());
byId('save').addEventListener('click', () => void saveAsFile(fileName));
byId('check').addEventListener('click', () => {
  if (session !== null) void check(session, leaving.signal);
});
byId('public-key').addEventListener('change', () => {
  if (session !== null) void check(session, leaving.signal);
});
closeMenus();
// First, because a page whose documents are kept is shown before the next listener is called.
rememberPlaces();
addEventListener('hashchange', again);
listenToTables(() => fileName);
