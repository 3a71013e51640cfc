import pMap from 'p-map';
import type { Clock } from '../../lib/clock.ts';
import type { Config } from '../../lib/config.ts';
import { examine, failure, ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { Failure, isSystemError } from '../../lib/failure.ts';
import { configuredTrust } from '../log/identity.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readCurrentPointer } from '../current-pointer.ts';
import { HEADS, WORKSPACES, workspaceOfHead } from '../layout.ts';
import type { Manifest } from '../manifest.ts';
import { readRemembered } from '../publish/remembered.ts';
import { readManifest } from '../read.ts';

export interface ExaminedSnapshots {
  findings: Finding[];
  /** The manifest with the latest as-of time of all workspaces; null if none can be read. */
  newest: Manifest | null;
}

/** A folder that only lakes have. */
const DELIVERIES_FOLDER = 'deliveries';

const READS_AT_ONCE = 16;
const DAY_MS = 86_400_000;
/** A week, and a day for a late job. */
const OLD_DAYS = 8;
/** Clocks that differ by less do no harm. */
const TOLERATED_MS = 60_000;

/**
 * Checks the current snapshot of every workspace: pointer, manifest, signature (if keys are configured) and age; and
 * whether workspaces are missing of which the lake records a publication to this store.
 */
export async function examineSnapshots(
  { store, lake }: { store: ObjectStore; lake: ObjectStore },
  config: Pick<Config, 'PUBLIC_KEY' | 'PUBLIC_KEY_FILE'>,
  clock: Clock,
): Promise<ExaminedSnapshots> {
  // Keys that cannot be read are a separate finding (keys.ts).
  const trust = (await configuredTrust(config).catch(() => undefined)) ?? null;
  const current: Manifest[] = [];
  const findings = await examine('snapshots', 'look at the finding of the store', async () => {
    const workspaces = await store.folders(WORKSPACES);
    const complaints: string[] = [];
    await pMap(
      workspaces,
      async (id) => {
        const found = await currentOf(store, id, trust);
        if (typeof found === 'string') complaints.push(found);
        else if (found !== null) current.push(found);
      },
      { concurrency: READS_AT_ONCE },
    );
    if (workspaces.length === 0 && (await store.folders('')).includes(DELIVERIES_FOLDER)) {
      const found = `${store.url} has deliveries and no snapshots: it is a lake`;
      return failure('snapshots', found, 'exchange STORE_URL and LAKE_URL');
    }
    const lost = await findLost(store, lake, new Set(workspaces));
    return [
      ...(workspaces.length === 0 && lost !== null ? [] : [judgeReading(workspaces.length, complaints)]),
      ...(lost === null ? [] : [lost]),
      ...judgeAges(current, clock.now()),
    ];
  });
  return { findings, newest: current.toSorted((a, b) => (a.asOf < b.asOf ? 1 : -1))[0] ?? null };
}

/** The manifest of the current snapshot; null if nothing was published yet; a text if something is wrong. */
async function currentOf(
  store: ObjectStore,
  id: string,
  trust: Trust | null,
): Promise<Manifest | string | null> {
  try {
    const pointer = await readCurrentPointer(store, id);
    return pointer === null ? null : await readManifest(store, id, pointer, trust);
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** Null if no workspace is missing, or if this machine cannot read the lake, which the lake's own findings say. */
async function findLost(
  store: ObjectStore,
  lake: ObjectStore,
  present: ReadonlySet<string>,
): Promise<Finding | null> {
  try {
    const recorded = (await Array.fromAsync(lake.list(HEADS))).map(({ key }) => workspaceOfHead(key));
    const absent = recorded.filter((id) => !present.has(id));
    const heads = await pMap(absent, async (id) => await readRemembered(lake, store, id), {
      concurrency: READS_AT_ONCE,
    });
    const lost = absent.filter((_, index) => heads[index] !== null);
    if (lost.length === 0) return null;
    const found = `${lost.length} workspaces that were published to ${store.url} are not in it, the first is ${lost[0]}`;
    const remedy = `put the store back from a copy (docs/procedures.md, Restore): "weekly" refuses to begin again, because ${lake.url}/${HEADS} records what was published`;
    return failure('snapshots: lost', found, remedy);
  } catch (error) {
    if (error instanceof Failure || isSystemError(error)) return null;
    throw error;
  }
}

function judgeReading(workspaces: number, complaints: readonly string[]): Finding {
  const subject = 'snapshots';
  if (workspaces === 0) {
    const remedy = '"npm run job -- weekly" publishes; until then every workspace has no brands';
    return warning(subject, 'nothing has been published yet', remedy);
  }
  const [first, ...more] = complaints;
  if (first === undefined) return ok(subject, `of ${workspaces} workspaces, each with its manifest`);
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const remedy = '"npm run audit -- verify" lists everything (docs/auditing.md, When something is wrong)';
  return failure(subject, `${first}${others}`, remedy);
}

function judgeAges(current: readonly Manifest[], now: number): Finding[] {
  if (current.length === 0) return [];
  const subject = 'snapshots: age';
  const times = current.map(({ asOf }) => Date.parse(asOf));
  const future = current.filter(({ asOf }) => Date.parse(asOf) > now + TOLERATED_MS);
  if (future.length > 0) {
    const [{ workspaceId, asOf }] = future as [Manifest];
    const found = `${future.length} of ${times.length} workspaces have a snapshot from the future, the first is ${workspaceId}, as of ${asOf}`;
    const remedy =
      'a clock was ahead when it was published, or this one is behind (docs/runbook.md, SightlineSnapshotFromFuture)';
    return [failure(subject, found, remedy)];
  }
  const old = times.filter((time) => now - time > OLD_DAYS * DAY_MS).length;
  const newest = new Date(Math.max(...times));
  const days = Math.max(0, (now - newest.getTime()) / DAY_MS).toFixed(1);
  const found = `the newest is as of ${newest.toISOString()}, ${days} days ago`;
  if (old === 0) return [ok(subject, found)];
  return [
    warning(
      subject,
      `${found}; ${old} of ${times.length} workspaces are older than ${OLD_DAYS} days`,
      'find out why the weekly job did not publish them: see its exit status and its last line',
    ),
  ];
}
