import { rm } from 'node:fs/promises';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION, WINDOW_DAYS, engineSlugs, webGrounded } from '../../lib/methodology.ts';
import { makeScratch } from '../../lib/scratch.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import type { Publication, PublishedDocument } from '../../snapshots/publish.ts';
import { duckdbVersion, execute, openDatabase, readSql, rowsOf, textList } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { openHistory } from './facts/history.ts';
import type { History } from './facts/history.ts';
import { storedFacts } from './facts/keep.ts';
import { cyclesOf, planOf } from './facts/plan.ts';
import { passing } from './facts/scope.ts';
import type { Scope } from './facts/scope.ts';
import { inNewestWeek, measureCompleteness, newestCycle } from './completeness.ts';
import type { Completeness } from './completeness.ts';
import { brandDocuments, brandsDocument } from './documents.ts';
import { openBrands } from './open-brands.ts';
import type { BrandRow } from './rows.ts';
import { runFiles, viewRuns } from './run-files.ts';
import type { RunFiles } from './run-files.ts';
import { inputsOf, loadTracking } from './state.ts';
import type { State } from './state.ts';
import { startStability } from './stability-thread.ts';
import type { StabilityThread } from './stability-thread.ts';

/** A snapshot to be computed: from which objects of the lake, as of when. */
export interface Computation {
  lake: ObjectStore;
  state: State;
  asOf: Micros;
  /** Which of the tracked workspaces, given in order, are to be published. */
  select(tracked: readonly string[]): readonly string[];
  /** Whose facts to start from and to store; null: reduce everything from raw runs. */
  facts: Scope | null;
  threads?: number | undefined;
  /** Ends the computation with an error. */
  signal?: AbortSignal | undefined;
}

/** What is computed: each workspace's snapshot in turn, so that memory does not grow with their number. */
export interface Computed {
  workspaces: readonly string[];
  orphaned: Orphaned;
  completeness: Completeness;
  snapshots: AsyncIterable<{ brands: number; publication: Publication }>;
}

/** Records that belong to nothing that is tracked: kept, shown nowhere. */
export type Orphaned = Record<'runs' | 'prompts' | 'competitors' | 'brands', number>;

/** Computes snapshots and hands them to `use`; the database lives as long as that takes. */
export async function compute<T>(
  computation: Computation,
  use: (computed: Computed) => Promise<T>,
): Promise<T> {
  const { lake, state, asOf, threads, signal } = computation;
  const scratch = await makeScratch('weekly');
  const database = await openDatabase({ scratch, signal, ...(threads === undefined ? {} : { threads }) });
  try {
    const connection = await database.connect();
    await execute(connection, await readSql('macros'));
    await loadTracking(connection, lake, state, scratch);
    const workspaces = computation.select(await trackedWorkspaces(connection));
    await execute(connection, 'create table published_workspace (id uuid)');
    for (const id of workspaces)
      await execute(connection, 'insert into published_workspace values ($id::uuid)', { id });
    await execute(connection, await readSql('weekly/tracking'));
    const files = runFiles(lake, scratch);
    const history = await readHistory(database, connection, computation, files, scratch);
    const stability = startStability(history.names);
    try {
      await viewWindow(connection, computation, files);
      const origin = {
        asOf: formatInstantExactly(asOf),
        methodologyVersion: METHODOLOGY_VERSION,
        codeVersion: VERSION,
        duckdbVersion: duckdbVersion(),
        inputs: inputsOf(state),
      };
      const orphaned = await countOrphans(connection);
      const completeness = await measureCompleteness(connection, newestCycle(state.runs, asOf));
      const snapshots = snapshotsOf(database, stability, workspaces, origin, completeness);
      const used = await use({ workspaces, orphaned, completeness, snapshots });
      await stability.finish();
      await history.keep();
      return used;
    } finally {
      await stability.close();
    }
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function readHistory(
  database: Database,
  connection: Connection,
  { lake, state, asOf, facts }: Computation,
  files: RunFiles,
  scratch: string,
): Promise<History> {
  const scope = facts ?? passing;
  const stored = facts === null ? new Set<string>() : await storedFacts(lake);
  const plan = planOf(cyclesOf(state.runs, asOf), stored, scope.name);
  return await openHistory({ database, connection, lake, plan, scope, runFiles: files, asOf, scratch });
}

/** Reads the runs of the window and of the newest week, and makes the tables of window.sql. */
async function viewWindow(
  connection: Connection,
  { state, asOf }: Computation,
  files: RunFiles,
): Promise<void> {
  const windowStart = asOf - BigInt(WINDOW_DAYS) * MICROS_PER_DAY;
  const newest = newestCycle(state.runs, asOf);
  const objects = state.runs.filter(
    ({ ranTo, cycleDate }) =>
      ranTo === undefined || BigInt(ranTo) > windowStart || inNewestWeek(cycleDate, newest),
  );
  await viewRuns(connection, 'run', await files(objects), asOf);
  await execute(connection, await readSql('weekly/window'), {
    as_of: asOf,
    window_days: WINDOW_DAYS,
    web_grounded: textList(engineSlugs.filter((slug) => webGrounded[slug])),
  });
}

const MICROS_PER_DAY = 86_400_000_000n;

async function trackedWorkspaces(connection: Connection): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    connection,
    'select distinct id::varchar as id from tracked_workspaces order by id',
  );
  return rows.map((row) => row.id);
}

async function* snapshotsOf(
  database: Database,
  stability: StabilityThread,
  workspaces: readonly string[],
  origin: Omit<Publication, 'workspaceId' | 'documents'>,
  { byWorkspace }: Completeness,
): AsyncGenerator<{ brands: number; publication: Publication }> {
  const opened = await openBrands(database);
  try {
    let next = await opened.next();
    for (const workspaceId of workspaces) {
      const brands: BrandRow[] = [];
      const documents: Promise<PublishedDocument[]>[] = [];
      for (; next !== null && next.brand.workspace_id === workspaceId; next = await opened.next()) {
        brands.push(next.brand);
        const made = brandDocuments(next, stability);
        made.catch(() => undefined); // told below, unless something else goes wrong before
        documents.push(made);
      }
      const completeness = byWorkspace.get(workspaceId) ?? null;
      const publication = {
        ...origin,
        workspaceId,
        completeness,
        documents: [brandsDocument(brands), ...(await Promise.all(documents)).flat()],
      };
      yield { brands: brands.length, publication };
    }
  } finally {
    opened.close();
  }
}

async function countOrphans(connection: Connection): Promise<Orphaned> {
  const [row] = await rowsOf<Record<keyof Orphaned, bigint>>(connection, await readSql('weekly/orphans'));
  const { runs, prompts, competitors, brands } = row!;
  return {
    runs: Number(runs),
    prompts: Number(prompts),
    competitors: Number(competitors),
    brands: Number(brands),
  };
}
