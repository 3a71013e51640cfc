/** @module-tag long */
import { copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { rebuildSnapshot } from '../../../snapshots/audit/rebuild.ts';
import { chooseWorkspace, readEntry, readPublications } from '../../../snapshots/reading/select.ts';
import type { Entry } from '../../../snapshots/reading/select.ts';
import { inputsKey } from '../../../snapshots/layout.ts';
import { encodeInputs } from '../../../snapshots/manifest.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { logOf, readStore } from '../../jobs/jobs.ts';
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

const WEEKS = 4;
/** Two hours apart: ingest, week, ingest, week … */
let time = Date.parse('2026-07-01T00:00:00Z');
const clock = { now: () => (time += 2 * 3_600_000) };

let root: string;
let lake: ObjectStore;
let store: ObjectStore;
let entries: Entry[];

/** Four weeks, each published after its runs arrived; then everything that may be delivered later. */
beforeAll(async () => {
  root = await newFolder();
  const drop = join(root, 'drop');
  const size = { seed: 7, workspaces: 1, brands: 2, prompts: 4, cycles: WEEKS };
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  lake = directoryStore(join(root, 'lake'));
  ({ store } = logOf(join(root, 'store')));
  await take(await someOf(drop, (file) => !file.startsWith('runs')), '2026-07-01');
  const weeksRuns = (await readdir(drop)).filter((file) => file.startsWith('runs')).toSorted();
  for (const file of weeksRuns) {
    await take(await someOf(drop, (name) => name === file), '2026-07-01');
    const asOf = parseInstant(`${/\d{4}-\d\d-\d\d/.exec(file)![0]}T23:00:00Z`)!;
    await weekly({ lake, ...logOf(join(root, 'store')), asOf, clock });
  }
  await deliverLater(drop);
  const log = await readStore(join(root, 'store'));
  const { workspaceId, publications } = await readPublications(log, chooseWorkspace(log, undefined));
  entries = [];
  for (const publication of publications.toReversed())
    entries.push(await readEntry(store, workspaceId, publication));
});

async function take(from: string, date: string): Promise<void> {
  // No drop is ingested more than a day before its date.
  await ingest({ from, lake, date }, { clock: { now: () => Math.max(clock.now(), Date.parse(date)) } });
}

async function someOf(drop: string, wanted: (file: string) => boolean): Promise<string> {
  const folder = join(root, `part-${(await readdir(root)).length}`);
  await mkdir(folder);
  for (const file of await readdir(drop))
    if (wanted(file)) await copyFile(join(drop, file), join(folder, file));
  return folder;
}

/** Renamed brands, paused prompts and dropped competitors, with dates in the history; and runs of an old week. */
async function deliverLater(drop: string): Promise<void> {
  const later = await someOf(drop, (file) => /^(brands|prompts)/.test(file));
  await edit(join(later, 'brands.ndjson'), (brand) => ({
    ...brand,
    name: `${String(brand['name'])} Renamed`,
  }));
  await edit(join(later, 'prompts.ndjson'), (prompt) => ({ ...prompt, is_active: false }));
  await writeFile(join(later, 'competitors.ndjson'), '');
  const old = (await readdir(drop)).filter((file) => file.startsWith('runs')).toSorted()[1]!;
  await copyFile(join(drop, old), join(later, old));
  await edit(join(later, old), (run) => ({ ...run, id: String(run['id']).replace(/^......../, 'ffffffff') }));
  await take(later, '2026-08-01');
}

async function edit(file: string, change: (record: Record<string, unknown>) => object): Promise<void> {
  const records = (await readFile(file, 'utf8')).trim().split('\n');
  const changed = records.map((line) => JSON.stringify(change(JSON.parse(line) as Record<string, unknown>)));
  await writeFile(file, `${changed.join('\n')}\n`);
}

test.each([1, 4])(
  'every snapshot is rebuilt with the same bytes after later drops, with %i threads',
  async (threads) => {
    expect(entries).toHaveLength(WEEKS);
    for (const { manifest, publication } of entries) {
      const again = directoryStore(join(root, `again-${threads}-${basename(manifest.snapshotId)}`));
      const inputs = await readInputs(store, manifest);
      const report = await recompute(
        { lake, store: again, threads },
        { ...manifest, publishedAt: publication.publishedAt, inputs },
      );
      const { snapshotId, manifestSha256 } = publication;
      expect(report).toEqual({ snapshotId, manifestSha256, missing: [], changed: [], leftOut: [] });
    }
  },
);

test('later deliveries change the next publications of an old week', async () => {
  const newest = entries[0]!.manifest;
  const other = logOf(join(root, 'other'));
  const { snapshots } = await weekly({ lake, ...other, asOf: parseInstant(newest.asOf)! });
  expect(snapshots[0]!.snapshotId).not.toBe(newest.snapshotId);
});

test('rebuild runs the job and compares every document, those of pruned snapshots by their hashes', async () => {
  const location = { kind: 'directory', path: join(root, 'lake') } as const;
  const first = entries.at(-1)!;
  const copy = join(root, 'pruned');
  for (const folder of ['store', 'lake'])
    await cp(join(root, folder), join(copy, folder), { recursive: true });
  const log = { ...logOf(join(root, 'store')), store: directoryStore(join(copy, 'store')) };
  const parts = { ...log, lake: directoryStore(join(copy, 'lake')), clock };
  await pruneSnapshots(parts, { keep: [{ newest: 1 }], isDryRun: false });
  const pruned = await readStore(join(copy, 'store'));
  const { publications } = await readPublications(pruned, first.manifest.workspaceId);
  expect(publications[0]).toMatchObject({ withdrawn: { reason: 'pruned' } });
  const ofWhole = await rebuildSnapshot(store, entries[0]!, { lake: location, threads: 1 });
  const ofPruned = await rebuildSnapshot(
    log.store,
    { ...first, publication: publications[0]! },
    { lake: location, threads: 4 },
  );
  expect(ofWhole).toMatchObject({ outcome: 'same', documents: 27, different: [] });
  expect(ofPruned).toMatchObject({ outcome: 'same', snapshotId: first.manifest.snapshotId });
});

test('rebuild names the inputs that are missing and those that were changed', async () => {
  const copy = join(root, 'harmed');
  await cp(join(root, 'lake'), copy, { recursive: true });
  const [gone, changed] = (await readInputs(store, entries[0]!.manifest)).map(({ path }) => path);
  await rm(join(copy, gone!));
  await writeFile(join(copy, changed!), 'something else');
  const rebuilt = await rebuildSnapshot(store, entries[0]!, { lake: { kind: 'directory', path: copy } });
  expect(rebuilt).toMatchObject({ outcome: 'impossible', missingInputs: [gone], changedInputs: [changed] });
});

test('rebuild reports a document that does not follow from its inputs, and names the inputs that were left out', async () => {
  const [newest, before] = [entries[0]!, entries[1]!];
  const used = await readInputs(store, newest.manifest);
  const ofBefore = await readInputs(store, before.manifest);
  // As if the newest snapshot had been computed from other inputs than it lists: those of the week before.
  const kept = ofBefore.filter((input) => used.some(({ path }) => path === input.path));
  await store.create(inputsKey(sha256(encodeInputs(kept))), encodeInputs(kept));
  const forged = { ...newest, manifest: { ...newest.manifest, inputs: sha256(encodeInputs(kept)) } };
  const lakeLocation = { kind: 'directory', path: join(root, 'lake') } as const;
  const rebuilt = await rebuildSnapshot(store, forged, { lake: lakeLocation });
  expect(rebuilt.outcome).toBe('different');
  for (const path of [/^brands\/.*visibility\.json$/, /^tables\/visibility\.json$/, /^week\.json$/])
    expect(rebuilt.different).toContainEqual(expect.stringMatching(path));
  const leftOut = used.filter((input) => !kept.some(({ path }) => path === input.path));
  expect(rebuilt.leftOutInputs).toEqual(leftOut.map(({ path }) => path));
  expect(leftOut.length).toBeGreaterThan(0);
});
