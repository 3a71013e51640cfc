import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentKinds } from '../../lib/documents/index.ts';
import { formatInstantExactly } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import { METHODOLOGY_VERSION, WINDOW_DAYS } from '../../lib/methodology.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import type { Publication, PublishedDocument } from '../../snapshots/publish.ts';
import { duckdbVersion, execute, openDatabase, readSql, rowsOf } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { brandDocument, brandsDocument } from './documents.ts';
import { openBrands } from './open-brands.ts';
import type { BrandRow } from './rows.ts';
import { inputsOf, loadState } from './state.ts';
import type { State } from './state.ts';

/** A snapshot to be computed: from which objects of the lake, as of when. */
export interface Computation {
  lake: ObjectStore;
  state: State;
  asOf: Micros;
  /** Which of the tracked workspaces, given in order, are to be published. */
  select(tracked: readonly string[]): readonly string[];
  threads?: number | undefined;
}

/** What is computed: each workspace's snapshot in turn, so that memory does not grow with their number. */
export interface Computed {
  workspaces: readonly string[];
  orphaned: Orphaned;
  snapshots: AsyncIterable<{ brands: number; publication: Publication }>;
}

/** Records that belong to nothing that is tracked: kept, shown nowhere. */
export type Orphaned = Record<'runs' | 'prompts' | 'competitors' | 'brands', number>;

/** Computes snapshots and hands them to `use`; the database lives as long as that takes. */
export async function compute<T>(
  computation: Computation,
  use: (computed: Computed) => Promise<T>,
): Promise<T> {
  const { lake, state, asOf, threads } = computation;
  const scratch = await mkdtemp(join(tmpdir(), 'sightline-weekly-'));
  const database = await openDatabase({ scratch, ...(threads === undefined ? {} : { threads }) });
  try {
    const connection = await database.connect();
    await execute(connection, await readSql('macros'));
    await loadState(connection, lake, state, asOf, scratch);
    const workspaces = computation.select(await trackedWorkspaces(connection));
    await execute(connection, 'create table published_workspace (id uuid)');
    for (const id of workspaces)
      await execute(connection, 'insert into published_workspace values ($id::uuid)', { id });
    await execute(connection, await readSql('tracking'));
    await execute(connection, await readSql('reduce'));
    await execute(connection, await readSql('window'), { as_of: asOf, window_days: WINDOW_DAYS });
    const origin = {
      asOf: formatInstantExactly(asOf),
      methodologyVersion: METHODOLOGY_VERSION,
      codeVersion: VERSION,
      duckdbVersion: duckdbVersion(),
      inputs: inputsOf(state),
    };
    const orphaned = await countOrphans(connection);
    return await use({ workspaces, orphaned, snapshots: snapshotsOf(database, workspaces, origin) });
  } finally {
    database.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

async function trackedWorkspaces(connection: Connection): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    connection,
    'select distinct id::varchar as id from tracked_workspaces order by id',
  );
  return rows.map((row) => row.id);
}

async function* snapshotsOf(
  database: Database,
  workspaces: readonly string[],
  origin: Omit<Publication, 'workspaceId' | 'documents'>,
): AsyncGenerator<{ brands: number; publication: Publication }> {
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
      const publication = { ...origin, workspaceId, documents: [brandsDocument(brands), ...documents] };
      yield { brands: brands.length, publication };
    }
  } finally {
    opened.close();
  }
}

async function countOrphans(connection: Connection): Promise<Orphaned> {
  const [row] = await rowsOf<Record<keyof Orphaned, bigint>>(connection, await readSql('orphans'));
  const { runs, prompts, competitors, brands } = row!;
  return {
    runs: Number(runs),
    prompts: Number(prompts),
    competitors: Number(competitors),
    brands: Number(brands),
  };
}
