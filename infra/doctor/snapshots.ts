import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Config } from '../../lib/config.ts';
import { examine, failure, ok, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { handleFailure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readHistory, readLog } from '../../snapshots/log/follow.ts';
import type { LogView } from '../../snapshots/log/follow.ts';
import { asOf, currentOf } from '../../snapshots/log/history.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import { NO_PUBLIC_KEY, configuredTrust, originOf } from '../../snapshots/log/identity.ts';
import { readManifest } from '../../snapshots/read.ts';

/** A folder that only lakes have. */
const DELIVERIES_FOLDER = 'deliveries';
const DAY_MS = 86_400_000;
/** A week, and a day for a late job. */
const OLD_DAYS = 8;
/** Clocks that differ by less do no harm. */
const TOLERATED_MS = 60_000;

const LOG = 'log';
const VERIFY = '"npm run audit -- verify" lists everything (docs/auditing.md, Getting back to Intact)';
const OLDER_LAKE =
  'mount or restore the newest lake, and ingest again what was delivered since; then "npm run audit -- log complete --from-store" (docs/procedures.md, Restore)';
const COMPLETE = '"npm run audit -- log complete" writes it again from the lake';

/** What the lake remembers of the log; `size` is null if nothing, or if this machine cannot read the lake. */
interface Remembered {
  lakeUrl: string;
  /** True if this machine can read it. */
  isThere: boolean;
  size: number | null;
}

/** Checks the log: its signature, what the lake remembers of it, and the current snapshot of every workspace with its age. */
export async function examineSnapshots(
  store: ObjectStore,
  remembered: Remembered,
  config: Config,
  clock: Clock,
): Promise<Finding[]> {
  return await examine(LOG, VERIFY, async () => {
    if ((await store.folders('')).includes(DELIVERIES_FOLDER))
      return failure(LOG, `${store.url} has deliveries: it is a lake`, 'exchange STORE_URL and LAKE_URL');
    const origin = originOf(config, config.STORE_URL);
    const trust = await configuredTrust(config);
    const hasLog = (await store.folders('')).includes('log');
    if (!hasLog) return judgeMissing(store, remembered);
    if (trust === undefined) return failure(LOG, NO_PUBLIC_KEY, 'docs/operations.md, Keys');
    const log = await readLog(store, { origin, trust });
    if (log === null) return failure(LOG, `${store.url} has a log without a checkpoint`, COMPLETE);
    return [judgeLog(log, remembered), ...(await judgeWorkspaces(store, log, clock))];
  });
}

function judgeMissing(store: ObjectStore, { lakeUrl, size }: Remembered): Finding {
  if (size === null)
    return warning(
      LOG,
      'nothing has been published yet',
      '"npm run job -- weekly" publishes; until then every workspace has no brands',
    );
  const found = `${store.url} has no log, and ${lakeUrl} remembers one of ${size} entries: the store was lost`;
  return failure(LOG, found, 'put the store back from a copy (docs/auditing.md, Getting back to Intact)');
}

function judgeLog({ checkpoint }: LogView, { lakeUrl, isThere, size: remembered }: Remembered): Finding {
  const { origin, size } = checkpoint;
  const found = `${origin}: ${size} entries, signed with a trusted key`;
  if (remembered === null && isThere)
    return failure(LOG, `${found}; ${lakeUrl} does not remember it`, OLDER_LAKE);
  if (remembered === null || remembered === size) return ok(LOG, found);
  const both = `${found}; ${lakeUrl} remembers ${remembered}`;
  return remembered > size
    ? failure(LOG, `${both}: the store is behind its lake`, 'the next run of the job completes it')
    : failure(LOG, `${both}: the lake is an older copy`, OLDER_LAKE);
}

async function judgeWorkspaces(store: ObjectStore, log: LogView, clock: Clock): Promise<Finding[]> {
  const current: Publication[] = [];
  const complaints: string[] = [];
  await manyAtOnce(log.heads.keys(), async (id) => {
    const read = async () => {
      const publication = currentOf((await readHistory(store, log, id))!);
      if (publication === null) return;
      await readManifest(store, id, publication);
      current.push(publication);
    };
    await handleFailure(read, ({ message }) => void complaints.push(message));
  });
  return [judgeReading(current.length, complaints), ...judgeAges(current, clock.now())];
}

function judgeReading(workspaces: number, [first, ...more]: readonly string[]): Finding {
  const subject = 'snapshots';
  if (first === undefined) return ok(subject, `of ${workspaces} workspaces, each with its manifest`);
  return failure(subject, `${first}${more.length === 0 ? '' : `, and ${more.length} more`}`, VERIFY);
}

function judgeAges(current: readonly Publication[], now: number): Finding[] {
  if (current.length === 0) return [];
  const subject = 'snapshots: age';
  const times = current.map((each) => Date.parse(asOf(each)));
  const future = current.filter((each) => Date.parse(asOf(each)) > now + TOLERATED_MS);
  const [ahead] = future;
  if (ahead !== undefined) {
    const found = `${future.length} of ${times.length} workspaces have a snapshot from the future, the first is as of ${asOf(ahead)}`;
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
