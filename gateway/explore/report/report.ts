import pMap from 'p-map';
import type { Brands } from '../../../lib/documents/brands.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Entry } from '../../../snapshots/reading/select.ts';
import { hasDocuments } from '../../../snapshots/log/history.ts';
import { readData } from '../../../snapshots/reading/documents.ts';
import { diffSnapshots } from '../../../snapshots/diff/diff.ts';
import type { BrandDiff, SnapshotDiff } from '../../../snapshots/diff/diff.ts';
import { changesTable, labelTag, reasonsOf } from './changes.ts';
import { labels } from '../../../snapshots/diff/labels.ts';
import { BRANDS_PATH, documentPath } from '../../../snapshots/layout.ts';
import { brandSection } from '../pages/sections/brand.ts';
import { careText, nothingMoved, rulesText } from '../pages/sections/changes.ts';
import { pageFile } from '../pages/file.ts';
import { glance, movedFirst } from '../pages/sections/glance.ts';
import { markup } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import { engineHistories } from '../pages/week.ts';
import type { BrandWeek } from '../pages/week.ts';

/**
 * A page about a workspace, as of a snapshot: the week at a glance, then each brand with what changed since the week
 * before, and where the numbers come from.
 * @param entries that snapshot and the last one of each week before it, newest first
 * @param brandIds the brands to report; all if absent
 * @throws Failure if a document is missing or does not match its hash.
 */
export async function reportPage(
  store: ObjectStore,
  entries: readonly Entry[],
  brandIds?: readonly string[],
): Promise<string> {
  const [entry, previous] = entries as [Entry, ...Entry[]];
  const { manifest } = entry;
  const all = await readData<Brands>(store, entry, BRANDS_PATH);
  const brands = all.filter(({ id }) => brandIds?.includes(id) ?? true);
  const weeks: BrandWeek[] = [];
  for (const brand of brands) weeks.push(await readWeek(store, entry, brand));
  const diff = previous === undefined ? null : await diffIfThere(store, previous, entry);
  const sections: Html[] = [];
  for (const week of movedFirst(weeks)) {
    const past = await readVisibilities(store, entries.slice(1), week.brand.id);
    const changes = changesSection(week.brand, diff);
    sections.push(brandSection(week, engineHistories([week.visibility, ...past]), changes));
  }
  const date = manifest.asOf.slice(0, 10);
  return pageFile(
    `Brand visibility, ${date}`,
    markup`<main>
      <h1>Brand visibility, week of ${date}</h1>
      <p class="soft">${manifest.workspaceName ?? manifest.workspaceId}</p>
      ${brands.length === 0 ? markup`<p>The workspace has no brands.</p>` : glance(weeks)} ${sections}
      ${provenance(entry)}
    </main>`,
  );
}

async function readWeek(store: ObjectStore, entry: Entry, brand: Brands[number]): Promise<BrandWeek> {
  const read = async <T>(kind: DocumentKind) => await readData<T>(store, entry, documentPath(brand.id, kind));
  return {
    brand,
    asOf: entry.manifest.asOf,
    visibility: await read('visibility'),
    competitors: await read('competitors'),
    results: await read('results'),
    stability: await read('stability'),
    sources: await read('sources'),
    prompts: null,
  };
}

const READS_AT_ONCE = 8;

/** The visibility documents of a brand, newest first, without weeks that were pruned or did not have the brand. */
async function readVisibilities(
  store: ObjectStore,
  entries: readonly Entry[],
  brandId: string,
): Promise<Visibility[]> {
  const path = documentPath(brandId, 'visibility');
  const found = await pMap(
    entries.filter(({ manifest }) => manifest.documents.some((document) => document.path === path)),
    async (entry) =>
      hasDocuments(entry.publication) ? await readData<Visibility>(store, entry, path) : null,
    { concurrency: READS_AT_ONCE },
  );
  return found.filter((document) => document !== null);
}

/** The diff to the week before; null if that was pruned. */
async function diffIfThere(store: ObjectStore, from: Entry, to: Entry): Promise<SnapshotDiff | null> {
  return hasDocuments(from.publication) ? await diffSnapshots(store, from, to) : null;
}

/** The number of moved values that fit on a printed page. */
const PRINTED_CHANGES = 40;

/** What moved, and the causes that make weeks incomparable; without the values that merely differ. */
function changesSection({ id, name }: BrandWeek['brand'], diff: SnapshotDiff | null): Html {
  const since = diff === null ? 'the week before' : diff.from.asOf.slice(0, 10);
  return markup`<h3>What changed since ${since}</h3>
    ${changesOf(
      name,
      diff,
      diff?.brands.find(({ brandId }) => brandId === id),
    )}`;
}

function changesOf(name: string, diff: SnapshotDiff | null, brand: BrandDiff | undefined): Html {
  if (diff === null) return markup`<p>There is no earlier snapshot to compare with.</p>`;
  if (brand === undefined) return markup`<p>Nothing.</p>`;
  if (brand.change !== null) return markup`<p>The brand was ${brand.change}.</p>`;
  const counts = labels
    .filter((label) => label === 'moved' || label === 'within noise')
    .map((label) => ({ label, count: brand.changes.filter((change) => change.label === label).length }))
    .filter(({ count }) => count > 0);
  const moved = brand.changes.filter((change) => change.judgement === 'moved');
  const judged = counts.map(({ label, count }) => markup`${count} ${labelTag(label)} `);
  return markup`${counts.length === 0 ? null : markup`<p>Values that differ: ${judged}</p>`}
    ${careText(reasonsOf(brand))}
    ${moved.length === 0 ? nothingMoved : changesTable(name, moved, PRINTED_CHANGES)}
    ${rulesText(moved.map(({ rule }) => rule))}`;
}

/** Where the numbers come from. */
function provenance({ publication, manifest }: Entry): Html {
  const rows: [string, string][] = [
    ['Workspace', manifest.workspaceId],
    ['As of', manifest.asOf],
    ['Published at', publication.publishedAt],
    ['Newest cycle', manifest.completeness?.newestCycle ?? 'not recorded'],
    ['Snapshot', manifest.snapshotId],
    ['Manifest, sha256', publication.manifestSha256],
    ['Methodology', manifest.methodologyVersion],
    ['Sequence', String(publication.sequence)],
  ];
  return markup`<footer>
    <h2>Where these numbers come from</h2>
    <dl>
      ${rows.map(
        ([name, value]) => markup`<dt>${name}</dt>
          <dd>${value}</dd>`,
      )}
    </dl>
  </footer>`;
}
