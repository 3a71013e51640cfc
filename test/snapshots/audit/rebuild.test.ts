/** @module-tag long */
import { copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { recompute } from '../../../jobs/weekly/recompute.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { rebuildSnapshot } from '../../../snapshots/audit/rebuild.ts';
import type { Rebuilt } from '../../../snapshots/audit/rebuild.ts';
import { chooseWorkspace, resolveSnapshot } from '../../../snapshots/reading/select.ts';
import type { Entry } from '../../../snapshots/reading/select.ts';
import { inputsKey } from '../../../snapshots/layout.ts';
import { encodeInputs } from '../../../snapshots/manifest.ts';
import type { Inputs } from '../../../snapshots/manifest.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { logOf, readStore, settingsOf } from '../../jobs/jobs.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

const WEEKS = ['2026-11-09', '2026-11-16'];
/** Hours lie between a delivery and the next publication. */
let time = Date.parse('2026-07-01T00:00:00Z');
const clock = { now: () => (time += 2 * 3_600_000) };

let root: string;
let lake: ObjectStore;
let store: ObjectStore;
let newest: Entry;
let used: Inputs;
/** The inputs of the newest week that the week before has, too. */
let ofBefore: Inputs;

/** Two weeks, each published after its runs arrived; then everything that may be delivered later. */
beforeAll(async () => {
  root = await newFolder();
  const drop = join(root, 'drop');
  const size = { seed: 7, workspaces: 1, brands: 2, prompts: 4, cycles: WEEKS.length };
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  lake = directoryStore(join(root, 'lake'));
  ({ store } = logOf(join(root, 'store')));
  await take(await someOf(drop, (file) => !file.startsWith('runs')), '2026-07-01');
  for (const week of WEEKS) {
    await take(await someOf(drop, (file) => file.startsWith('runs') && file.includes(week)), '2026-07-01');
    const asOf = parseInstant(`${week}T23:00:00Z`)!;
    await weekly({ lake, ...logOf(join(root, 'store')), asOf, clock, threads: 1 });
  }
  await deliverLater(drop);
  const log = await readStore(join(root, 'store'));
  const entryOf = async (reference: string) =>
    await resolveSnapshot(log, chooseWorkspace(log, undefined), reference);
  newest = await entryOf('current');
  used = await readInputs(store, newest.manifest);
  const before = await readInputs(store, (await entryOf('previous')).manifest);
  ofBefore = before.filter((input) => used.some(({ path }) => path === input.path));
});

async function take(from: string, date: string): Promise<void> {
  // No drop is ingested more than a day before its date.
  await ingest(
    { from, lake, date, threads: 1 },
    { clock: { now: () => Math.max(clock.now(), Date.parse(date)) } },
  );
}

async function someOf(drop: string, wanted: (file: string) => boolean): Promise<string> {
  const folder = join(root, `part-${(await readdir(root)).length}`);
  await mkdir(folder);
  for (const file of await readdir(drop))
    if (wanted(file)) await copyFile(join(drop, file), join(folder, file));
  return folder;
}

/** Renamed brands, no competitors, and more runs of an old week. */
async function deliverLater(drop: string): Promise<void> {
  const later = await someOf(drop, (file) => /^brands|^runs.*2026-11-09/.test(file));
  for (const file of await readdir(later)) {
    const text = await readFile(join(later, file), 'utf8');
    const changed = file.startsWith('runs')
      ? text.replaceAll(/^\{"id":"......../gm, '{"id":"ffffffff')
      : text.replaceAll('"name":"', '"name":"Renamed ');
    expect(changed).not.toBe(text);
    await writeFile(join(later, file), changed);
  }
  await writeFile(join(later, 'competitors.ndjson'), '');
  await take(later, '2026-08-01');
}

/** What `rebuild` prints for the snapshots of a store. */
async function rebuilt(
  storeUrl: string,
  ...options: string[]
): Promise<{ status: number | null; all: Rebuilt[] }> {
  const settings = { ...settingsOf(join(root, 'store')), STORE_URL: storeUrl, LAKE_URL: join(root, 'lake') };
  const { status, stdout } = await runHere('audit', ['rebuild', ...options, '--json'], { settings });
  return { status, all: (JSON.parse(stdout) as { snapshots: Rebuilt[] }).snapshots };
}

const from = (path: string) => ({ lake: { kind: 'directory', path } as const, threads: 1 });
const same = { outcome: 'same', documents: 27, different: [], leftOutInputs: [] };

test('every snapshot is rebuilt with the same bytes, whatever later deliveries change', async () => {
  const { status, all } = await rebuilt(join(root, 'store'), '--all', '--threads', '1');
  expect([status, all]).toMatchObject([
    0,
    WEEKS.toReversed().map((week) => ({ ...same, asOf: `${week}T23:00:00.000Z` })),
  ]);
  const asOf = parseInstant(newest.manifest.asOf)!;
  const { snapshots } = await weekly({ lake, ...logOf(join(root, 'other')), asOf, threads: 1 });
  expect(snapshots[0]!.snapshotId).not.toBe(newest.manifest.snapshotId);
});

test('a snapshot that was pruned is compared by the hashes of its documents', async () => {
  const copy = join(root, 'pruned');
  for (const folder of ['store', 'lake'])
    await cp(join(root, folder), join(copy, folder), { recursive: true });
  const parts = { ...logOf(join(root, 'store')), lake: directoryStore(join(copy, 'lake')), clock };
  const pruned = { ...parts, store: directoryStore(join(copy, 'store')) };
  await pruneSnapshots(pruned, { keep: [{ newest: 1 }], isDryRun: false });
  expect(await rebuilt(join(copy, 'store'), '--as-of', WEEKS[0]!, '--threads', '4')).toMatchObject({
    status: 0,
    all: [same],
  });
});

test('inputs that are missing and those that were changed are named', async () => {
  const copy = join(root, 'harmed');
  await cp(join(root, 'lake'), copy, { recursive: true });
  const [gone, changed] = used.map(({ path }) => path);
  await rm(join(copy, gone!));
  await writeFile(join(copy, changed!), 'something else');
  expect(await rebuildSnapshot(store, newest, from(copy))).toMatchObject({
    outcome: 'impossible',
    missingInputs: [gone],
    changedInputs: [changed],
  });
});

test('a snapshot that another methodology computed names the release that computes it', async () => {
  const manifest = { ...newest.manifest, methodologyVersion: '0.9', codeVersion: '0.0.7' };
  expect(await rebuildSnapshot(store, { ...newest, manifest }, from(join(root, 'lake')))).toMatchObject({
    outcome: 'impossible',
    codeVersion: '0.0.7',
    reason: expect.stringMatching(
      /^the snapshot follows methodology 0\.9, this version of the job \S+: release 0\.0\.7 computes it$/,
    ) as string,
  });
});

/** What the newest week used, and the week before did not. */
const leftOut = () =>
  used.map(({ path }) => path).filter((path) => !ofBefore.some((each) => each.path === path));

describe('a snapshot that lists only some of its inputs', () => {
  test('differs, and the inputs that were left out are named', async () => {
    const list = encodeInputs(ofBefore);
    await store.create(inputsKey(sha256(list)), list);
    const forged = { ...newest, manifest: { ...newest.manifest, inputs: sha256(list) } };
    const found = await rebuildSnapshot(store, forged, from(join(root, 'lake')));
    expect(found.outcome).toBe('different');
    for (const path of [/^brands\/.*visibility\.json$/, /^tables\/visibility\.json$/, /^week\.json$/])
      expect(found.different).toContainEqual(expect.stringMatching(path));
    expect(leftOut().length).toBeGreaterThan(0);
    expect(found.leftOutInputs).toEqual(leftOut());
  });

  test('left out what the ledger had an hour before the publication, not what came later', async () => {
    const { receivedAt } = (await readLedger(lake)).at(-2)!;
    const hourLater = Date.parse(receivedAt) + 3_600_000;
    for (const [published, expected] of [
      [hourLater, leftOut()],
      [hourLater - 1, []],
    ] as const) {
      const recipe = { ...newest.manifest, inputs: ofBefore, publishedAt: new Date(published).toISOString() };
      const again = directoryStore(join(root, `again-${published}`));
      expect((await recompute({ lake, store: again, threads: 1 }, recipe)).leftOut).toEqual(expected);
    }
  });
});
