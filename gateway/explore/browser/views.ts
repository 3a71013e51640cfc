import type { Week } from '../../../lib/documents/week.ts';
import { markup } from '../pages/markup.ts';
import { brandSection } from '../pages/sections/brand.ts';
import type { Compared } from '../pages/sections/brand.ts';
import { everyBrand, everyTables } from '../pages/sections/every-brand.ts';
import type { EveryTables } from '../pages/sections/every-brand.ts';
import { glance } from '../pages/sections/glance.ts';
import { engineCharts } from '../pages/sections/visibility.ts';
import { addressOf } from './address.ts';
import type { Address } from './address.ts';
import type { Brand, WeekDocuments } from './documents.ts';
import { describe, show } from './page.ts';
import { bandsBefore, stabilities } from './past-weeks.ts';
import type { WeekRead } from './proof.ts';
import { listenToPrompts } from './prompts.ts';
import { returnToPlace } from './scroll.ts';
import { nameIn } from './weeks.ts';
import type { Session } from './weeks.ts';

/** What is on screen: an address, with the documents of its week and of the week that it is compared with. */
export interface View {
  session: Session;
  address: Address;
  documents: WeekDocuments;
  /** Null without an earlier week. */
  older: WeekDocuments | null;
  /** Aborted when the view is left. */
  signal: AbortSignal;
}

/** The weeks whose documents were read, with their names. */
export function weeksRead({ session, documents, older }: View): WeekRead[] {
  return [documents, older]
    .filter((each) => each !== null && each.read.size > 0)
    .map((each) => ({ documents: each!, name: nameIn(session, each!.snapshot) }));
}

export const nothingYet = markup`<p>
  Nothing has been published for this workspace yet: it is warming up. The first week appears here after the first weekly
  run.
</p>`;

/** Shows the brand in the address, or all brands. Once the view is left, its requests throw. */
export async function showView(view: View, week: Week, brand: Brand | null): Promise<void> {
  if (week.brands.length === 0) return show(markup`<p>This workspace has no brands yet.</p>`);
  if (brand !== null) return await showBrand(view, brand);
  if (view.address.full === 'all') return await showEveryBrand(view, week);
  await showGlance(view, week);
}

/** The glance takes one request, and the other week, for what changed, another one. */
async function showGlance({ session, address, older }: View, week: Week): Promise<void> {
  const addressOfBrand = (brand: string) => addressOf({ ...address, full: null, brand });
  show(glance({ week, before: null, addressOf: addressOfBrand }));
  returnToPlace();
  if (older === null) return;
  const before = { week: await older.overview(), name: nameIn(session, older.snapshot) };
  show(glance({ week, before, addressOf: addressOfBrand }));
}

/** Every brand in full, from a few tables of all brands. */
async function showEveryBrand({ session, address, documents }: View, week: Week): Promise<void> {
  describe('progress', 'Loading every brand…');
  const read = everyTables.map(async (name) => [name, await documents.table(name)] as const);
  const tables = Object.fromEntries(await Promise.all(read)) as unknown as EveryTables;
  const list = addressOf({ ...address, full: null });
  show(
    markup`<p class="screen"><a href="${list}">The list of brands</a></p><h2>Every brand, ${nameIn(session, documents.snapshot)}</h2>${everyBrand(week, tables)}`,
  );
  returnToPlace();
}

async function showBrand({ session, documents, older, signal }: View, brand: Brand): Promise<void> {
  describe('progress', `Loading ${brand.name}…`);
  const [week, earlier] = await Promise.all([documents.week(brand), older?.earlier(brand) ?? null]);
  const before: Compared | null =
    older === null || earlier === null
      ? null
      : { documents: earlier, name: nameIn(session, older.snapshot), snapshot: older.snapshot };
  show(brandSection(week, documents.snapshot, before, []));
  returnToPlace();
  listenToPrompts(week, async () => await stabilities(session, brand, documents.snapshot, signal));
  const bands = await bandsBefore(session, brand, documents.snapshot, signal);
  signal.throwIfAborted();
  if (bands.length > 0 && week.visibility.perEngine.length > 0) show(engineCharts(week, bands), 'engines');
}
