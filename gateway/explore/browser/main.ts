import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { Week } from '../../../lib/documents/week.ts';
import { brandSection } from '../pages/sections/brand.ts';
import { weekGlance } from '../pages/sections/week-glance.ts';
import { markup, nameOf } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import { engineHistories } from '../pages/week.ts';
import { changesSince } from './changes.ts';
import { WeekDocuments, nullIfGone } from './documents.ts';
import type { Brand } from './documents.ts';
import { keyIn } from './key.ts';
import { byId, describe, show } from './page.ts';
import { checkProof } from './proof.ts';
import { ApiError, Requests } from './requests.ts';
import { saveAsFile } from './save.ts';
import { chooseTag, chosenTag, offerTags } from './tags.ts';
import { chosenWeek, listWeeks, nameWeek, snapshotOf, weekBefore } from './weeks.ts';
import type { Session } from './weeks.ts';

/** Null while no key was accepted. */
let session: Session | null = null;
/** The documents on screen; with those of the week before if it is compared. */
let shown: WeekDocuments[] = [];
/** Ends the requests of a view that is left. */
let leaving = new AbortController();

/** Runs one view: what came before it is ended, and errors are shown in words. */
async function view(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  describe('problem', '');
  describe('verdict', '');
  // A verdict must not stand above documents that came after it.
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
    // A snapshot of an older version has no week document.
    const week = await nullIfGone(requests.get<Week>('/api/v1/week', signal));
    const { snapshotId } = week ?? (await requests.get<unknown>('/api/v1/brands', signal));
    byId('open').hidden = true;
    byId('controls').hidden = false;
    if (snapshotId === null) return show(nothingYet);
    if (week !== null) requests.keep(`/api/v1/snapshots/${snapshotId}/week`, week);
    session = { requests, weeks: [], snapshotId };
    await showWeek(session, signal);
  });
}

const nothingYet = markup`<p>
  Nothing has been published for this workspace yet: it is warming up. The first week appears here after the first weekly
  run.
</p>`;

/** Shows the brand in the address, or all brands. */
async function showWeek(current: Session, signal: AbortSignal): Promise<void> {
  await listWeeks(current, signal);
  const documents = new WeekDocuments(current.requests, snapshotOf(current), signal);
  shown = [documents];
  const week = await documents.overview();
  const brands = week?.brands.map(({ brand }) => brand) ?? (await documents.brands());
  if (brands.length === 0) return show(markup`<p>This workspace has no brands yet.</p>`);
  const brand = brands.find(({ id }) => location.hash === `#brand-${id}`);
  byId('compare-choice').hidden = brand === undefined;
  if (brand !== undefined) return await showBrand(current, documents, brand, signal);
  offerTags([]);
  if (week === null) return show(listOnly(brands));
  await showGlance(current, week, signal);
}

/** The glance takes one request, and the week before, for what changed, another one. */
async function showGlance(current: Session, week: Week, signal: AbortSignal): Promise<void> {
  show(weekGlance(week, null));
  const before = weekBefore(current);
  if (before === null) return;
  const older = new WeekDocuments(current.requests, before, signal);
  const overview = await older.overview();
  signal.throwIfAborted();
  if (overview === null) return;
  shown.push(older);
  show(weekGlance(week, overview));
}

const listOnly = (brands: readonly Brand[]) => markup`<p>
    This week was published by an older version, which made no overview. Choose a brand:
  </p>
  <ul>
    ${brands.map(({ id, name }) => markup`<li><a href="#brand-${id}">${nameOf(name)}</a></li>`)}
  </ul>`;

/** The timeline is for scripts. */
const shownKinds = documentKinds.filter((kind) => kind !== 'timeline');

async function showBrand(
  current: Session,
  documents: WeekDocuments,
  brand: Brand,
  signal: AbortSignal,
): Promise<void> {
  describe('progress', `Loading ${brand.name}…`);
  const week = await documents.week(brand, shownKinds);
  const draw = (changes: Html | null, past: readonly Visibility[]) => {
    const filtered = chooseTag(week);
    show(
      markup`<p class="screen"><a href="#">All brands</a></p>
        ${brandSection(filtered, engineHistories([week.visibility, ...past]), changes, chosenTag())}`,
    );
  };
  offerTags(week.prompts?.prompts ?? [], () => draw(null, []));
  draw(null, []);
  const before = weekBefore(current);
  if (!isComparing()) return;
  if (before === null) return draw(markup`<p>There is no earlier week to compare with.</p>`, []);
  describe('progress', `Loading the week before…`);
  const older = new WeekDocuments(current.requests, before, signal);
  shown = [documents, older];
  const changes = await changesSince(older, before, { week, snapshot: snapshotOf(current) });
  const past = changes.before === null ? [] : [changes.before];
  offerTags(week.prompts?.prompts ?? [], () => draw(changes.text, past));
  draw(changes.text, past);
}

function isComparing(): boolean {
  return (byId('compare') as HTMLInputElement).checked;
}

async function check(): Promise<void> {
  const current = session;
  if (current === null) return;
  const trust = {
    publicKey: (byId('public-key') as HTMLTextAreaElement).value,
    origin: (byId('origin') as HTMLInputElement).value,
  };
  const { signal } = leaving;
  try {
    const { isVerified, text } = await checkProof(current.requests, shown, trust, signal);
    if (signal.aborted) return;
    byId('verdict').classList.toggle('failed', !isVerified);
    byId('verdict').innerHTML = text.text;
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
  if (current !== null) void view(async (signal) => await showWeek(current, signal));
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
  if (session !== null) nameWeek(session);
});
byId('week').addEventListener('change', () => {
  if (session === null) return;
  session.snapshotId = chosenWeek(session).id;
  again();
});
byId('compare').addEventListener('change', again);
byId('close').addEventListener('click', () => location.reload());
byId('save').addEventListener('click', () => void saveAsFile(document.title));
byId('check').addEventListener('click', () => void check());
addEventListener('hashchange', () => {
  again();
  byId('content').focus({ preventScroll: true });
  // The link may stand far below the place where the brand begins.
  if (location.hash.startsWith('#brand-')) scrollTo(0, 0);
});
