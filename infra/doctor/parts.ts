import { tmpdir } from 'node:os';
import { systemClock } from '../../lib/clock.ts';
import type { Config, RecordsLocation } from '../../lib/config.ts';
import { reasonOf } from '../../lib/failure.ts';
import type { Failure } from '../../lib/failure.ts';
import { isMarked } from '../../lib/store/lake.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { USUAL_ORIGIN } from '../../snapshots/log/identity.ts';
import { readCommitted } from '../../snapshots/log/write/committed.ts';
import { findRoom, findWritable } from './disk.ts';
import { examine, failure, formatOf } from './finding.ts';
import type { Finding } from './finding.ts';
import { examineKeys } from './keys.ts';
import { examineLake, findLake } from './lake.ts';
import { examinePostgres, examineSqlite } from './records.ts';
import { s3Remedy } from './s3-remedy.ts';
import { examineSnapshots } from './snapshots.ts';
import { examineStore } from './store.ts';

/** What an examination needs: the settings, and the store and the lake that they name. */
export interface Examined {
  config: Config;
  store: ObjectStore;
  lake: ObjectStore;
  /** Whether a probe object may be written to the store. */
  probeWrites: boolean;
}

/** The parts of an installation, any of which may be on another machine. */
const examinations = {
  records: examineRecords,
  store: examineStoreAndKeys,
  lake: examineLakeAndScratch,
} satisfies Record<string, (examined: Examined) => Promise<Finding[]>>;

export type Part = keyof typeof examinations;

export const partNames = Object.keys(examinations) as Part[];

/** What is wrong with a part; that its examination broke off is a finding too, and does not hide the other parts. */
export async function examinePart(part: Part, examined: Examined): Promise<Finding[]> {
  return await examinations[part](examined).catch((error: unknown) => [
    failure(part, `the examination broke off: ${reasonOf(error)}`, 'this is a defect: please report it'),
  ]);
}

async function examineRecords({ config: { RECORDS_URL: location } }: Examined): Promise<Finding[]> {
  const examining = {
    sqlite: async ({ path }) => await examineSqlite(path),
    postgres: async ({ url }) => await examinePostgres(url),
  } satisfies {
    [Kind in RecordsLocation['kind']]: (
      location: Extract<RecordsLocation, { kind: Kind }>,
    ) => Promise<Finding[]>;
  };
  return await examining[location.kind](location as never);
}

/** The store, its newest snapshots, and the keys that sign and verify them. */
async function examineStoreAndKeys({ config, store, lake, probeWrites }: Examined): Promise<Finding[]> {
  const reached = await examineStore(store, config, probeWrites);
  const isThere = reached[0]!.state !== 'failure';
  // Null if there is none, or if this machine cannot read the lake.
  const committed = await readCommitted(lake, config.LOG_ORIGIN ?? USUAL_ORIGIN).catch(() => null);
  const remembered = {
    lakeUrl: lake.url,
    isThere: await isMarked(lake).catch(() => false),
    size: committed?.checkpoint.size ?? null,
  };
  const findings = isThere ? await examineSnapshots(store, remembered, config, systemClock) : [];
  return [...reached, ...findings, ...(await examineKeys(config, committed?.signer ?? null))];
}

/** The lake, and the folder in which the jobs keep what they compute with. */
async function examineLakeAndScratch({ config, store, lake }: Examined): Promise<Finding[]> {
  const { LAKE_URL: location } = config;
  const scratch = await findRoom('scratch: disk', tmpdir(), 'or set TMPDIR to a folder on a larger disk');
  const remedy = (thrown: Failure) =>
    location.kind === 's3' ? s3Remedy('LAKE_URL', thrown) : 'correct LAKE_URL';
  const there = await examine('lake', remedy, async () => await findLake(lake, store));
  if (there[0]!.state !== 'ok') return [...there, scratch];
  const contents = await examineLake(lake, store, config, BigInt(systemClock.now()) * 1000n);
  const disk =
    location.kind === 's3'
      ? []
      : [
          await findWritable('lake: writable', location.path, 'an ingest'),
          await findRoom(
            'lake: disk',
            location.path,
            'or move the lake to a larger one, and correct LAKE_URL',
          ),
        ];
  return [...there, formatOf('lake'), ...contents, ...disk, scratch];
}
