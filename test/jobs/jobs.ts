import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ingest } from '../../jobs/ingest/ingest.ts';
import type { IngestOptions } from '../../jobs/ingest/ingest.ts';
import type { IngestReport } from '../../jobs/ingest/report.ts';
import { weekly } from '../../jobs/weekly/weekly.ts';
import type { WeeklyOptions } from '../../jobs/weekly/weekly.ts';
import type { WeeklyReport } from '../../jobs/weekly/report/report.ts';
import { systemClock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { resolveSnapshot } from '../../snapshots/reading/select.ts';
import type { Entry, LoggedStore } from '../../snapshots/reading/select.ts';
import { snapshotPrefix } from '../../snapshots/layout.ts';
import { readLog } from '../../snapshots/log/follow.ts';
import { configuredSigner, generateKeyPair } from '../../snapshots/signing.ts';
import { verifyStore } from '../../snapshots/verify/verify.ts';
import type { Delivery } from '../reference/drop.ts';

interface Reject {
  file: string;
  line: number;
  reason: string;
  record: string;
  record_base64?: string;
}

const NOW = Date.parse('2026-11-16T06:00:00Z');

/** Ingests a drop into the lake in a folder. With one thread, which takes three quarters of the CPU time for so few records. */
export async function deliver(
  lake: string,
  { folder, ...rules }: Delivery,
  options: Pick<IngestOptions, 'runsInObject'> = {},
): Promise<IngestReport> {
  return await ingest(
    { from: folder, lake: directoryStore(lake), ...rules, threads: 1, ...options },
    // A date that lies ahead is refused.
    { clock: { now: () => Math.max(NOW, Date.parse(rules.date)) } },
  );
}

/** The lake's rejects file that a report names. */
export async function rejectsOf(lake: string, report: IngestReport): Promise<Reject[]> {
  if (report.rejects === null) return [];
  const text = await readFile(join(lake, report.rejects), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Reject);
}

const { privatePem, publicPem } = generateKeyPair();
const signer = (await configuredSigner({ SIGNING_KEY: privatePem }))!;

/** Several stores of a test share a lake, which remembers one log of each name. */
const originOf = (store: string) => `sightline.example/${sha256(store).slice(0, 16)}`;

/** The store in a folder, with the name and the key of its log. */
export function logOf(store: string): Pick<WeeklyOptions, 'store' | 'origin' | 'signer'> {
  return { store: directoryStore(store), origin: originOf(store), signer };
}

/** The settings of a program that publishes to, or reads, the store in a folder. */
export function settingsOf(store: string): Record<string, string> {
  return { SIGNING_KEY: privatePem, PUBLIC_KEY: publicPem, LOG_ORIGIN: originOf(store) };
}

export async function publish(
  lake: string,
  store: string,
  asOf: string,
  options: Partial<Pick<WeeklyOptions, 'shard' | 'threads' | 'workspaces' | 'bytesInSlice'>> = {},
): Promise<WeeklyReport> {
  const instant = parseInstant(asOf)!;
  return await weekly({ lake: directoryStore(lake), ...logOf(store), asOf: instant, threads: 1, ...options });
}

/** What is published in the store in a folder. */
export async function readStore(store: string): Promise<LoggedStore> {
  const opened = directoryStore(store);
  const log = await readLog(opened, { origin: null, trust: signer.trust });
  if (log === null) throw new Error(`nothing was published to ${store}`);
  return { store: opened, log };
}

/** The current snapshot of a workspace. */
export async function currentIn(store: string, workspaceId: string): Promise<Entry> {
  return await resolveSnapshot(await readStore(store), workspaceId, 'current');
}

/** The report of `verify` on the store in a folder. */
export async function verifiedIn(store: string) {
  const identity = { origin: originOf(store), trust: signer.trust };
  return await verifyStore(directoryStore(store), { identity, now: systemClock.now() });
}

/** The current documents of a workspace, by their paths in the snapshot. */
export async function documentsOf(store: string, workspaceId: string): Promise<Map<string, Buffer>> {
  const { manifest } = await currentIn(store, workspaceId);
  const folder = join(store, snapshotPrefix(workspaceId, manifest.snapshotId));
  const read = manifest.documents.map(async ({ path }): Promise<[string, Buffer]> => [
    path,
    await readFile(join(folder, path)),
  ]);
  return new Map(await Promise.all(read));
}

/** The same in the form of an `expected.json`. */
export async function answersIn(store: string, workspaceId: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [path, bytes] of await documentsOf(store, workspaceId)) {
    const { data } = JSON.parse(bytes.toString('utf8')) as { data: unknown };
    if (path.startsWith('tables/')) continue;
    const [name, brandId, kind] = path.replace(/\.json$/, '').split('/');
    if (brandId === undefined) answers[name!] = data;
    else answers[brandId] = { ...(answers[brandId] as object | undefined), [kind!]: data };
  }
  return answers;
}
