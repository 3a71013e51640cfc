import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentKinds } from '../../lib/documents/index.ts';
import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION, WINDOW_DAYS } from '../../lib/methodology.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import type { Publication, PublishedDocument } from '../../snapshots/publish.ts';
import { duckdbVersion, execute, openDatabase, readSql, rowsOf } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { readLedger } from '../lake/ledger.ts';
import type { Delivery } from '../lake/ledger.ts';
import { brandDocument, brandsDocument } from './documents.ts';
import { openBrands } from './open-brands.ts';
import type { BrandRow } from './rows.ts';
import { inShard } from './shard.ts';
import type { Shard } from './shard.ts';
import { loadState } from './state.ts';
import type { State } from './state.ts';

export interface WeeklyOptions {
  lake: ObjectStore;
  store: ObjectStore;
  asOf: Micros;
  /** Only these workspaces; all of them where it is absent. */
  workspaces?: readonly string[];
  shard?: Shard;
  threads?: number;
}

export interface WeeklyEffects {
  onStart?(workspaces: number): void;
  onWorkspace?(): void;
}

export interface WeeklyReport {
  asOf: string;
  workspaces: number;
  brands: number;
  documents: number;
  bytes: number;
  /** Workspaces with a snapshot that they did not have before, and those without. */
  new: number;
  unchanged: number;
  /** Runs that ingest refused, over all deliveries to the lake. */
  refused: number;
  orphaned: { runs: number; prompts: number; competitors: number; brands: number };
  snapshots: { workspaceId: string; snapshotId: string; isNew: boolean }[];
}

/** Computes and publishes the snapshots of the workspaces as of an instant. The same inputs give the same bytes. */
export async function weekly(options: WeeklyOptions, effects: WeeklyEffects = {}): Promise<WeeklyReport> {
  const scratch = await mkdtemp(join(tmpdir(), 'sightline-weekly-'));
  const database = await openDatabase({
    scratch,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  });
  try {
    const connection = await database.connect();
    const ledger = await readLedger(options.lake);
    await execute(connection, await readSql('macros'));
    const state = await loadState(connection, options.lake, ledger, options.asOf, scratch);
    const workspaces = await selectWorkspaces(connection, options);
    await compute(connection, options.asOf);
    effects.onStart?.(workspaces.length);
    const report = await startReport(connection, ledger, options.asOf);
    const origin = originOf(state, options.asOf);
    for await (const [workspaceId, brands, documents] of documentsByWorkspace(database, workspaces)) {
      const published = await publishSnapshot(options.store, { ...origin, workspaceId, documents });
      report.workspaces += 1;
      report.brands += brands;
      report.documents += published.documents;
      report.bytes += published.bytes;
      report[published.isNew ? 'new' : 'unchanged'] += 1;
      report.snapshots.push({ workspaceId, snapshotId: published.snapshotId, isNew: published.isNew });
      effects.onWorkspace?.();
    }
    return report;
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Fills `published_workspace`; returns its ids, in order. */
async function selectWorkspaces(
  connection: Connection,
  { workspaces, shard, asOf }: WeeklyOptions,
): Promise<string[]> {
  const tracked = (
    await rowsOf<{ id: string }>(connection, 'select id::varchar as id from tracked_workspaces order by id')
  ).map((row) => row.id);
  const unknown = workspaces?.filter((id) => !tracked.includes(id)) ?? [];
  if (unknown.length > 0) {
    throw new Failure(`workspace ${unknown.join(', ')} is not tracked as of ${formatInstantExactly(asOf)}`);
  }
  const wanted = (
    workspaces === undefined ? tracked : tracked.filter((id) => workspaces.includes(id))
  ).filter((id) => shard === undefined || inShard(id, shard));
  await execute(connection, 'create table published_workspace (id uuid)');
  for (const id of wanted)
    await execute(connection, 'insert into published_workspace values ($id::uuid)', { id });
  return wanted;
}

async function compute(connection: Connection, asOf: Micros): Promise<void> {
  await execute(connection, await readSql('tracking'));
  await execute(connection, await readSql('reduce'));
  await execute(connection, await readSql('window'), { as_of: asOf, window_days: WINDOW_DAYS });
}

/** The documents of a workspace at a time, so that memory does not grow with their number. */
async function* documentsByWorkspace(
  database: Database,
  workspaces: readonly string[],
): AsyncGenerator<[workspaceId: string, brands: number, documents: PublishedDocument[]]> {
  const opened = await openBrands(database);
  try {
    let next = await opened.next();
    for (const workspaceId of workspaces) {
      const brands: BrandRow[] = [];
      const documents: PublishedDocument[] = [];
      for (; next !== null && next.brand.workspace_id === workspaceId; next = await opened.next()) {
        const rows = next;
        brands.push(rows.brand);
        documents.push(...documentKinds.map((kind) => brandDocument(kind, rows)));
      }
      yield [workspaceId, brands.length, [brandsDocument(brands), ...documents]];
    }
  } finally {
    opened.close();
  }
}

function originOf(state: State, asOf: Micros): Omit<Publication, 'workspaceId' | 'documents'> {
  return {
    asOf: formatInstantExactly(asOf),
    methodologyVersion: METHODOLOGY_VERSION,
    codeVersion: VERSION,
    duckdbVersion: duckdbVersion(),
    inputs: [...state.tracking, ...state.runs]
      .map(({ key, sha256 }) => ({ path: key, sha256 }))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

async function startReport(
  connection: Connection,
  ledger: readonly Delivery[],
  asOf: Micros,
): Promise<WeeklyReport> {
  const [orphans] = await rowsOf<Record<keyof WeeklyReport['orphaned'], bigint>>(
    connection,
    await readSql('orphans'),
  );
  const { runs, prompts, competitors, brands } = orphans!;
  const runFiles = ledger.flatMap((delivery) => delivery.sources).filter((source) => source.kind === 'runs');
  return {
    asOf: formatInstantExactly(asOf),
    workspaces: 0,
    brands: 0,
    documents: 0,
    bytes: 0,
    new: 0,
    unchanged: 0,
    refused: runFiles.reduce((sum, source) => sum + source.refused, 0),
    orphaned: {
      runs: Number(runs),
      prompts: Number(prompts),
      competitors: Number(competitors),
      brands: Number(brands),
    },
    snapshots: [],
  };
}
