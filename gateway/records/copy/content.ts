import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../../lib/failure.ts';

/**
 * Everything that records contain, sorted by names, numbers and ids. Times are microseconds since the Unix epoch.
 */
export interface Content {
  plans: { name: string; requestsPerMinute: number }[];
  workspaces: StoredWorkspace[];
  keys: CopiedKey[];
}

interface StoredWorkspace {
  number: number;
  id: string;
  name: string;
  plan: string;
  requestsPerMinute: number | null;
  /** The minute that was counted last, in minutes since the Unix epoch, and its requests. */
  minute: number;
  requests: number;
}

interface CopiedKey {
  id: number;
  /** The number of the key's workspace. */
  workspace: number;
  hash: string;
  prefix: string;
  label: string | null;
  createdAt: number;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** A database as source or target of a copy. */
export interface CopySide {
  /** The name in messages; without a password. */
  readonly name: string;
  /** Identifies the database: equal for two addresses of the same one. */
  identity(): Promise<string>;
  /** The content as of one instant. @throws Failure if it is not a records database of this schema version. */
  read(): Promise<Content>;
  /**
   * Brings the schema up to date and writes the content, completely or not at all.
   * @returns the content afterwards, and whether it was written: false if it was there before.
   * @throws Failure if other records are there, or the content reads back differently.
   */
  fill(content: Content): Promise<Filled>;
}

export interface Filled {
  content: Content;
  isNew: boolean;
}

/** True if the content must be written, false if it is there already. @throws Failure if other records are there. */
export function mustWrite(content: Content, there: Content, name: string): boolean {
  if (there.workspaces.length === 0 && there.keys.length === 0) return true;
  if (isDeepStrictEqual(content, there)) return false;
  throw new Failure(`${name} is not empty: ${countOf(there)} are there, and differ from those to be copied`);
}

/** @throws Failure if the content reads back differently from what was written. */
export function demandSame(content: Content, there: Content, name: string): void {
  if (isDeepStrictEqual(content, there)) return;
  throw new Failure(
    `${name} does not contain what was written to it: ${countOf(there)} instead of ${countOf(content)}, or other values; nothing was kept`,
  );
}

function countOf({ workspaces, keys }: Content): string {
  return `${workspaces.length} workspaces and ${keys.length} keys`;
}

/** The content as stored by a database whose times have this resolution in microseconds. */
export function cutTimes(content: Content, stepMicros: number): Content {
  const cut = <T extends number | null>(time: T) =>
    (time === null ? null : Math.floor(time / stepMicros) * stepMicros) as T;
  const keys = content.keys.map((key) => ({
    ...key,
    createdAt: cut(key.createdAt),
    revokedAt: cut(key.revokedAt),
    lastUsedAt: cut(key.lastUsedAt),
  }));
  return { ...content, keys };
}

/** A size of one statement that every driver and server handles. */
const ROWS_AT_ONCE = 5000;

/** The statements that write a content, in order: the name of an SQL file and its rows as JSON. */
export function* copyStatements({
  plans,
  workspaces,
  keys,
}: Content): Generator<[name: string, rows: string]> {
  const tables = [
    ['copy/copy-plans', plans],
    ['copy/copy-workspaces', workspaces],
    ['copy/copy-counts', workspaces],
    ['copy/copy-keys', keys],
    ['copy/copy-uses', keys],
  ] as const;
  for (const [name, rows] of tables) {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      yield [name, JSON.stringify(rows.slice(from, from + ROWS_AT_ONCE))];
    }
  }
}
