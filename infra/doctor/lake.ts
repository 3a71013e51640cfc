import type { Config } from '../../lib/config.ts';
import { examine, failure, ok, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { handleFailure } from '../../lib/failure.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { isMarked } from '../../lib/store/lake.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, WORKSPACES } from '../../snapshots/layout.ts';
import { readHistory, readLog } from '../../snapshots/log/follow.ts';
import { currentOf } from '../../snapshots/log/history.ts';
import { configuredTrust } from '../../snapshots/log/identity.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { hasAnything, readManifest } from '../../snapshots/read.ts';
import type { Delivery } from '../../jobs/lake/delivery.ts';
import { objectsOf, readLedger } from '../../jobs/lake/ledger.ts';
import { storedObjects } from '../../jobs/lake/objects.ts';
import { MAX_AGE_DAYS, isTooOld, newestCycle } from '../../jobs/weekly/checks/completeness.ts';

type KeyConfig = Pick<Config, 'PUBLIC_KEY' | 'PUBLIC_KEY_FILE'>;

const RESTORE = 'put it back from a copy of the lake, at its name (docs/procedures.md, Restore)';

const INGEST = '"npm run job -- ingest" ingests a drop';
const MOUNT =
  'mount the disk of the lake, or correct LAKE_URL; a lake that was lost is restored (docs/procedures.md, Restore)';

/** Checks that there is a lake. The log of a store shows that there was one before. */
export async function findLake(lake: ObjectStore, store: ObjectStore): Promise<Finding> {
  const subject = 'lake';
  if (await isMarked(lake)) return ok(subject, lake.url);
  if (await hasAnything(lake, WORKSPACES))
    return failure(subject, `${lake.url} has snapshots: it is a store`, 'exchange LAKE_URL and STORE_URL');
  const nothing = `there is no lake at ${lake.url}`;
  if (await hasLog(store)) return failure(subject, `${nothing}, and ${store.url} has a log`, MOUNT);
  if (!(await hasAnything(lake, ''))) return warning(subject, nothing, `${INGEST}, and makes the lake`);
  return failure(
    subject,
    `${nothing}, but other files`,
    '"npm run job -- ingest --new-lake" makes it a lake',
  );
}

/** False if the store cannot be read: that is a finding of its own. */
async function hasLog(store: ObjectStore): Promise<boolean> {
  return (await store.get(CHECKPOINT_KEY).catch(() => null)) !== null;
}

/**
 * Examines the ledger, which is checked as it is read, whether the store has what was delivered, and whether every object that
 * it names is there with its size. The bytes are not read.
 */
export async function examineLake(
  lake: ObjectStore,
  store: ObjectStore,
  config: KeyConfig,
  now: Micros,
): Promise<Finding[]> {
  let ledger: Delivery[] = [];
  const read = await examine('lake: ledger', RESTORE, async () => {
    ledger = await readLedger(lake);
    return await judgeLedger(ledger, lake, store);
  });
  if (ledger.length === 0) return read;
  const objects = await examine('lake: objects', RESTORE, async () => await findObjects(lake, ledger));
  const week = await examinePublishedWeek(store, config, ledger);
  return [...read, judgeNewestCycle(ledger, now), ...week, ...objects];
}

async function judgeLedger(
  ledger: readonly Delivery[],
  lake: ObjectStore,
  store: ObjectStore,
): Promise<Finding> {
  const subject = 'lake: ledger';
  const last = ledger.at(-1);
  if (last === undefined)
    return (await hasLog(store))
      ? failure(subject, `${lake.url} has no deliveries, and ${store.url} has a log`, MOUNT)
      : warning(subject, 'nothing has been delivered yet', INGEST);
  return ok(subject, `${ledger.length} deliveries without a gap, the last at ${last.receivedAt}`);
}

/** Judges the newest cycle of the whole lake; `weekly` does of each workspace. */
function judgeNewestCycle(ledger: readonly Delivery[], now: Micros): Finding {
  const subject = 'lake: newest cycle';
  const newest = newestCycle(
    ledger.flatMap(({ runs }) => runs),
    now,
  );
  if (newest === null) return warning(subject, 'no run has been delivered', 'deliver a file of runs');
  if (!isTooOld(newest, now)) return ok(subject, newest);
  const found = `${newest}, more than ${MAX_AGE_DAYS} days ago`;
  return warning(subject, found, 'look why the tracker delivers nothing, or why its drops are not ingested');
}

async function findObjects(lake: ObjectStore, ledger: readonly Delivery[]): Promise<Finding> {
  const subject = 'lake: objects';
  const sizes = await storedObjects(lake);
  const named = new Map(ledger.flatMap(objectsOf).map((object) => [object.key, object]));
  const complaints = [...named.values()].flatMap(({ key, bytes }) => {
    const there = sizes.get(key);
    if (there === undefined) return [`${key} is missing`];
    return there === bytes ? [] : [`${key} has ${there} bytes instead of ${bytes}`];
  });
  const [first, ...more] = complaints;
  if (first === undefined) return ok(subject, `all ${named.size} that the ledger names, with their sizes`);
  return failure(subject, `${first}${more.length === 0 ? '' : `, and ${more.length} more`}`, RESTORE);
}

/**
 * Judges the workspaces of whose week nothing had been delivered when they were published: has it come since?
 * Nothing, if the store cannot be read: that is a finding of its own.
 */
async function examinePublishedWeek(
  store: ObjectStore,
  config: KeyConfig,
  ledger: readonly Delivery[],
): Promise<Finding[]> {
  const subject = 'lake: published week';
  const current = await readCurrent(store, config);
  if (current.length === 0) return [];
  const empty = current.filter(({ completeness }) => completeness?.percent === 0);
  const [first] = empty;
  if (first === undefined) return [ok(subject, 'every workspace that expects runs got some')];
  const late = empty.filter((manifest) => isDeliveredLate(manifest, ledger));
  if (late.length > 0) {
    const found = `delivered after the week was published: runs for the week of ${late[0]!.workspaceId}, which was published without any`;
    const remedy =
      'run weekly for that week again (docs/procedures.md, Data came late); if it stays at 0 %, its tracker delivers nothing';
    return [warning(subject, found, remedy)];
  }
  const found = `nothing was delivered for ${empty.length} of ${current.length} workspaces, the first is ${first.workspaceId}`;
  const remedy = 'find out why their tracker delivers nothing (docs/operations.md, Incomplete weeks)';
  return [warning(subject, found, remedy)];
}

/** Whose runs these are is not known from the ledger. */
function isDeliveredLate({ asOf, publishedAt }: PublishedManifest, ledger: readonly Delivery[]): boolean {
  const instant = parseInstant(asOf)!;
  const isInTime = ({ ranFrom }: { ranFrom: string }) => BigInt(ranFrom) <= instant;
  return ledger.some(
    ({ receivedAt, runs }) => Date.parse(receivedAt) > Date.parse(publishedAt) && runs.some(isInTime),
  );
}

type PublishedManifest = Manifest & { publishedAt: string };

async function readCurrent(store: ObjectStore, config: KeyConfig): Promise<PublishedManifest[]> {
  const read = async () => {
    const trust = await configuredTrust(config);
    const log = trust === undefined ? null : await readLog(store, { origin: null, trust });
    if (log === null) return [];
    const manifestOf = async (id: string): Promise<PublishedManifest[]> => {
      const current = currentOf((await readHistory(store, log, id))!);
      if (current === null) return [];
      return [{ ...(await readManifest(store, id, current)), publishedAt: current.publishedAt }];
    };
    return (await manyAtOnce(log.heads.keys(), manifestOf)).flat();
  };
  return await handleFailure(read, () => []);
}
