import type { Config } from '../../lib/config.ts';
import { ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { Failure } from '../../lib/failure.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readHistory, readLog } from '../../snapshots/log/follow.ts';
import { currentOf } from '../../snapshots/log/history.ts';
import { configuredTrust } from '../../snapshots/log/identity.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { readManifest } from '../../snapshots/read.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { Delivery } from '../lake/ledger.ts';

const SUBJECT = 'lake: published week';
const READS_AT_ONCE = 16;

/**
 * Judges the workspaces of whose newest week nothing had been delivered when they were published: has it come since?
 * Nothing, if the store cannot be read: that is a finding of its own.
 */
export async function examinePublishedWeek(
  store: ObjectStore,
  config: Pick<Config, 'PUBLIC_KEY' | 'PUBLIC_KEY_FILE'>,
  ledger: readonly Delivery[],
): Promise<Finding[]> {
  const current = await readCurrent(store, config);
  if (current.length === 0) return [];
  const empty = current.filter(({ completeness }) => completeness?.percent === 0);
  const [first] = empty;
  if (first === undefined) return [ok(SUBJECT, 'every workspace that expects runs got some')];
  const late = empty.filter((manifest) => isDeliveredLate(manifest, ledger));
  if (late.length > 0) {
    const found = `delivered after the week was published: runs for the week of ${late[0]!.workspaceId}, which was published without any`;
    const remedy =
      'run weekly for that week again (docs/procedures.md, Data came late); if it stays at 0 %, its tracker delivers nothing';
    return [warning(SUBJECT, found, remedy)];
  }
  const found = `nothing was delivered for ${empty.length} of ${current.length} workspaces, the first is ${first.workspaceId}`;
  const remedy = 'find out why their tracker delivers nothing (docs/schedule.md, Completeness)';
  return [warning(SUBJECT, found, remedy)];
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

async function readCurrent(
  store: ObjectStore,
  config: Pick<Config, 'PUBLIC_KEY' | 'PUBLIC_KEY_FILE'>,
): Promise<PublishedManifest[]> {
  try {
    const trust = await configuredTrust(config);
    const log = trust === undefined ? null : await readLog(store, { origin: null, trust });
    if (log === null) return [];
    const manifestOf = async (id: string): Promise<PublishedManifest[]> => {
      const current = currentOf((await readHistory(store, log, id))!);
      if (current === null) return [];
      return [{ ...(await readManifest(store, id, current)), publishedAt: current.publishedAt }];
    };
    return (await mapConcurrently([...log.heads.keys()], manifestOf, { limit: READS_AT_ONCE })).flat();
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
