import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../../lib/failure.ts';

/** Everything that records hold, in the order of names, numbers and ids. Times are microseconds since the Unix epoch. */
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
  /** The minute that was counted last, in minutes since the epoch, and its requests. */
  minute: number;
  requests: number;
}

interface CopiedKey {
  id: number;
  /** The number of its workspace. */
  workspace: number;
  hash: string;
  prefix: string;
  label: string | null;
  createdAt: number;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** A database that can take in what another holds; either side of a copy. */
export interface CopySide {
  /** For messages; never with a password. */
  readonly name: string;
  /** The same for two addresses of one database. */
  identity(): Promise<string>;
  /** What is there, as of one instant. @throws Failure where it is no records, or of another version's schema. */
  read(): Promise<Content>;
  /**
   * Brings the schema up to date and writes what comes, whole or not at all.
   * @returns what is there afterwards, and whether it was written: not where it was there before.
   * @throws Failure where other records are there, or what was written does not come back as it should.
   */
  fill(content: Content): Promise<Filled>;
}

export interface Filled {
  content: Content;
  isNew: boolean;
}

/** True where the content has to be written, false where it is there. @throws Failure where something else is. */
export function mustWrite(content: Content, there: Content, name: string): boolean {
  if (there.workspaces.length === 0 && there.keys.length === 0) return true;
  if (isDeepStrictEqual(content, there)) return false;
  throw new Failure(
    `${name} is not empty: ${countOf(there)} are there, and not the same as those to be copied`,
  );
}

/** @throws Failure where what was written does not come back as it was meant. */
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

/** One statement takes a list of a size that every driver and server handles. */
const ROWS_AT_ONCE = 5000;

/** The statements that write a content, in turn: the name of an SQL file and its rows as JSON. */
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
