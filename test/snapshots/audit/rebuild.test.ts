/** @module-tag long */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { objectsOf, readLedger } from '../../../jobs/lake/ledger.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { rebuildSnapshot } from '../../../snapshots/audit/rebuild.ts';
import type { Rebuilt } from '../../../snapshots/audit/rebuild.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { inputsKey } from '../../../snapshots/layout.ts';
import { encodeInputs } from '../../../snapshots/manifest.ts';
import type { Inputs } from '../../../snapshots/manifest.ts';
import { readInputs } from '../../../snapshots/read.ts';
import { resolveSnapshot } from '../../../snapshots/reading/select.ts';
import type { Entry } from '../../../snapshots/reading/select.ts';
import { readTrust } from '../../../snapshots/signing.ts';
import { answers, commandsIn, FROZEN, partOfSmall } from '../../frozen/commands.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

let root: string;
let lake: ObjectStore;
let store: ObjectStore;
let newest: Entry;
let used: Inputs;

/** The frozen store and lake: two weeks, of which the newer one has one more delivery. Then other names and runs came. */
beforeAll(async () => {
  root = await newFolder();
  for (const name of ['store', 'lake']) await cp(join(FROZEN, name), join(root, name), { recursive: true });
  const later = await partOfSmall(root, 'later', /^brands/);
  const brands = join(later, 'brands.ndjson');
  await writeFile(brands, (await readFile(brands, 'utf8')).replaceAll('"name":"', '"name":"Renamed '));
  const run = { ...answers.nextRun, id: 'eeeeeeee-0000-4000-8000-000000000001', status: 'success' };
  const old = { ...run, cycle_date: '2026-11-06', ran_at: '2026-11-06T06:00:00Z' };
  await writeFile(join(later, 'runs.ndjson'), `${JSON.stringify(old)}\n`);
  const { job } = commandsIn(root);
  const ended = await job('ingest', '--from', later, '--date', '2026-11-20');
  if (ended.status !== 0) throw new Error(ended.stderr);

  [store, lake] = [directoryStore(join(root, 'store')), directoryStore(join(root, 'lake'))];
  const trust = await readTrust([join(FROZEN, 'key.public.pem')]);
  const log = (await readLog(store, { origin: null, trust }))!;
  newest = await resolveSnapshot({ store, log }, answers.workspaceId, 'current');
  used = await readInputs(store, newest.manifest);
});

/** What `rebuild` says of the snapshots in the store below a folder. */
async function rebuilt(folder: string, ...options: string[]) {
  const { status, stdout } = await commandsIn(folder).audit('rebuild', ...options, '--json');
  return { status, all: (JSON.parse(stdout) as { snapshots: Rebuilt[] }).snapshots };
}

const same = { outcome: 'same', different: [], leftOutInputs: [] };
const ofLake = () => ({ lake: { kind: 'directory', path: join(root, 'lake') } as const, repair: true });

test('every snapshot is rebuilt with the same bytes, whatever later deliveries change, and a pruned one compared by hashes', async () => {
  expect(await rebuilt(root, '--all', '--threads', '1')).toMatchObject({ status: 0, all: [same, same] });
  const other = { ...commandsIn(root).settings, LOG_ORIGIN: 'other', STORE_URL: join(root, 'other') };
  const weekly = ['weekly', '--as-of', newest.manifest.asOf, '--json'];
  const { stdout } = await runHere('job', weekly, { settings: other });
  expect(stdout).toContain('"snapshotId"');
  expect(stdout).not.toContain(newest.manifest.snapshotId);
  expect(await commandsIn(root).audit('rebuild', '--lake', 'nowhere')).toMatchObject({ status: 3 });
  const pruned = await commandsIn(root).audit('prune', '--keep', '1', '--yes', '--accept-clock');
  expect(pruned).toMatchObject({ status: 0 });
  const older = await rebuilt(root, '--as-of', '2026-11-09', '--threads', '4');
  expect(older).toMatchObject({ status: 0, all: [same] });
});

test('a snapshot that another methodology computed names the release that computes it', async () => {
  const manifest = { ...newest.manifest, methodologyVersion: '0.9', codeVersion: '0.0.7' };
  await expect(rebuildSnapshot(store, { ...newest, manifest }, ofLake())).rejects.toThrow(
    /^the snapshot follows methodology 0\.9, this version of the job \S+: release 0\.0\.7 computes it$/,
  );
});

test('a snapshot that lists only some of its inputs differs, and those that the ledger had an hour before are named', async () => {
  const late = (await readLedger(lake))[1]!;
  const keys = new Set(objectsOf(late).map(({ key }) => key));
  const list = encodeInputs(used.filter(({ path }) => !keys.has(path)));
  await store.create(inputsKey(sha256(list)), list);
  const hourLater = Date.parse(late.receivedAt) + 3_600_000;
  const publishedAt = (time: number) => {
    const publication = { ...newest.publication, publishedAt: new Date(time).toISOString() };
    return { publication, manifest: { ...newest.manifest, inputs: sha256(list) } };
  };
  const found = await rebuildSnapshot(store, publishedAt(hourLater), ofLake());
  const leftOutInputs = used.map(({ path }) => path).filter((path) => keys.has(path));
  expect(leftOutInputs.length).toBeGreaterThan(0);
  expect(found).toMatchObject({ outcome: 'different', leftOutInputs });
  for (const path of [/^brands\/.*visibility\.json$/, /^tables\/visibility\.json$/, /^week\.json$/])
    expect(found.different).toContainEqual(expect.stringMatching(path));
  const early = await rebuildSnapshot(store, publishedAt(hourLater - 1), ofLake());
  expect(early).toMatchObject({ outcome: 'different', leftOutInputs: [] });
});

test('an input is left out too if the ledger had it before one that the manifest names', async () => {
  const [first, late] = await readLedger(lake);
  const ofLate = new Set(objectsOf(late!).map(({ key }) => key));
  const gone = used.map(({ path }) => path).find((path) => path.startsWith('runs/') && !ofLate.has(path))!;
  const list = encodeInputs(used.filter(({ path }) => path !== gone));
  await store.create(inputsKey(sha256(list)), list);
  const publication = { ...newest.publication, publishedAt: first!.receivedAt }; // nothing was there an hour before
  const manifest = { ...newest.manifest, inputs: sha256(list) };
  const found = await rebuildSnapshot(store, { publication, manifest }, ofLake());
  expect(found).toMatchObject({ leftOutInputs: [gone] });
});
