import type { Brands } from '../../lib/documents/brands.ts';
import type { Competitors } from '../../lib/documents/competitors.ts';
import type { Results } from '../../lib/documents/results.ts';
import type { Sources } from '../../lib/documents/sources.ts';
import type { Stability } from '../../lib/documents/stability.ts';
import type { Visibility } from '../../lib/documents/visibility.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { isPruned, readData } from '../audit/show.ts';
import type { Entry } from '../audit/select.ts';
import { diffSnapshots } from '../diff/diff.ts';
import type { BrandDiff, SnapshotDiff } from '../diff/diff.ts';
import { changesTable, labelTag } from '../diff/html.ts';
import { labels } from '../diff/labels.ts';
import { markup } from '../html/html.ts';
import type { Html } from '../html/html.ts';
import { page } from '../html/page.ts';
import { BRANDS_PATH, documentPath } from '../layout.ts';
import type { Manifest } from '../manifest.ts';
import { competitorsSection } from './competitors-section.ts';
import { engineHistories, readVisibilities } from './history.ts';
import { resultsSection } from './results-section.ts';
import { sourcesSection, stabilitySection } from './tables.ts';
import { visibilitySection } from './visibility-section.ts';

/**
 * A page about a workspace, as of a snapshot: what changed since the week before, and all published numbers.
 * @param entries that snapshot and the last one of each week before it, newest first
 * @throws Failure if a document is missing or does not match its hash.
 */
export async function reportPage(store: ObjectStore, entries: readonly Entry[]): Promise<string> {
  const { link, manifest } = entries[0]!;
  const previous = entries[1]?.manifest;
  const brands = await readData<Brands>(store, manifest, BRANDS_PATH);
  const diff = previous === undefined ? null : await diffIfThere(store, previous, manifest);
  const sections: Html[] = [];
  for (const brand of brands) {
    sections.push(
      await brandSection(
        store,
        entries.map((entry) => entry.manifest),
        brand,
        diff,
      ),
    );
  }
  const date = manifest.asOf.slice(0, 10);
  return page(
    `Brand visibility, ${date}`,
    markup`<main>
      <h1>Brand visibility, week of ${date}</h1>
      <dl>
        <dt>Workspace</dt>
        <dd>${manifest.workspaceName ?? manifest.workspaceId}</dd>
        <dt>As of</dt>
        <dd>${manifest.asOf}</dd>
        <dt>Published at</dt>
        <dd>${manifest.publishedAt}</dd>
        <dt>Newest cycle</dt>
        <dd>${manifest.completeness?.newestCycle ?? 'not recorded'}</dd>
        <dt>Snapshot</dt>
        <dd>${manifest.snapshotId}</dd>
        <dt>Manifest, sha256</dt>
        <dd>${link.manifestSha256}</dd>
        <dt>Methodology</dt>
        <dd>${manifest.methodologyVersion}</dd>
        <dt>Signed by</dt>
        <dd>${manifest.signedBy ?? 'nobody'}</dd>
      </dl>
      ${brands.length === 0 ? markup`<p>The workspace has no brands.</p>` : brandList(brands)} ${sections}
    </main>`,
  );
}

/** The diff to the week before; null if that was pruned. */
async function diffIfThere(store: ObjectStore, from: Manifest, to: Manifest): Promise<SnapshotDiff | null> {
  return (await isPruned(store, from)) ? null : await diffSnapshots(store, from, to);
}

function brandList(brands: Brands): Html {
  return markup`<nav aria-label="Brands">
    <ul>
      ${brands.map(({ id, name }) => markup`<li><a href="#brand-${id}">${name}</a></li>`)}
    </ul>
  </nav>`;
}

async function brandSection(
  store: ObjectStore,
  manifests: readonly Manifest[],
  brand: Brands[number],
  diff: SnapshotDiff | null,
): Promise<Html> {
  const [manifest] = manifests;
  const read = async <T>(kind: Parameters<typeof documentPath>[1]) =>
    await readData<T>(store, manifest!, documentPath(brand.id, kind));
  const visibility = await read<Visibility>('visibility');
  const histories = engineHistories(await readVisibilities(store, manifests, brand.id));
  const resultsPath = documentPath(brand.id, 'results');
  const hasResults = manifest!.documents.some(({ path }) => path === resultsPath); // older snapshots have none
  const changes = diff?.brands.find(({ brandId }) => brandId === brand.id);
  return markup`<section aria-labelledby="brand-${brand.id}">
    <h2 id="brand-${brand.id}">${brand.name}</h2>
    <p class="soft">${brand.domain}</p>
    ${changesSection(brand.name, diff, changes)} ${hasResults ? resultsSection(await read<Results>('results')) : null}
    ${await visibilitySection(visibility, histories)}
    ${await competitorsSection(await read<Competitors>('competitors'))}
    ${stabilitySection(await read<Stability>('stability'))} ${sourcesSection(await read<Sources>('sources'))}
  </section>`;
}

/** The number of moved values that fit on a printed page. */
const PRINTED_CHANGES = 40;

function changesSection(name: string, diff: SnapshotDiff | null, brand: BrandDiff | undefined): Html {
  if (diff === null)
    return markup`<h3>What changed this week</h3>
      <p>There is no earlier snapshot to compare with.</p>`;
  const since = diff.from.asOf.slice(0, 10);
  if (brand === undefined)
    return markup`<h3>What changed this week</h3>
      <p>Nothing, since ${since}.</p>`;
  if (brand.change !== null)
    return markup`<h3>What changed this week</h3>
      <p>The brand was ${brand.change} since ${since}.</p>`;
  const counts = labels
    .map((label) => ({ label, count: brand.changes.filter((change) => change.label === label).length }))
    .filter(({ count }) => count > 0);
  const moved = brand.changes.filter((change) => change.judgement === 'moved');
  const causes =
    brand.causes.length === 0 ? null : markup`<p>Not comparable in all: ${brand.causes.join(', ')}.</p>`;
  return markup`<h3>What changed this week</h3>
    <p>Since ${since}: ${counts.map(({ label, count }) => markup`${labelTag(label)} ${count} `)}</p>
    ${causes}
    ${moved.length === 0 ? markup`<p>Nothing moved beyond what its interval or drift band allows.</p>` : changesTable(name, moved, PRINTED_CHANGES)}`;
}
