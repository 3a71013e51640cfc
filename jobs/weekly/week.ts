import { makeScratch } from '../../lib/files/scratch.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { openDatabase } from '../duckdb.ts';
import type { Connection, Database } from '../duckdb.ts';
import { makeMacros } from '../relations.ts';
import { loadTracking, trackedWorkspaces } from './inputs/state.ts';
import type { State } from './inputs/state.ts';

/** What a week is computed from. */
export interface WeekInput {
  lake: ObjectStore;
  /** The objects of the lake. */
  state: State;
  asOf: Micros;
  threads?: number | undefined;
  /** For tests (default: as measured). */
  bytesInSlice?: number | undefined;
  /** Once it is aborted, every query throws. */
  signal?: AbortSignal | undefined;
}

/** A database with the tracking state of a week. Disposing it closes the database and removes its files. */
export interface Week extends WeekInput, AsyncDisposable {
  scratch: string;
  database: Database;
  connection: Connection;
  /** The names of the tracked workspaces by id, ascending. */
  tracked: ReadonlyMap<string, string>;
}

export async function openWeek(input: WeekInput): Promise<Week> {
  const { lake, state, threads, signal } = input;
  await using opened = new AsyncDisposableStack();
  const { path: scratch } = opened.use(await makeScratch('weekly'));
  const database = opened.use(await openDatabase({ scratch, signal, threads }));
  const connection = await database.connect();
  await makeMacros(connection);
  await loadTracking(connection, lake, state, scratch);
  const tracked = await trackedWorkspaces(connection);
  const all = opened.move();
  return {
    ...input,
    scratch,
    database,
    connection,
    tracked,
    [Symbol.asyncDispose]: async () => await all.disposeAsync(),
  };
}
