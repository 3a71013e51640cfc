import type { Clock } from '../../lib/clock.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import type { StoredKey } from '../admission/keys.ts';

/** The requests of a batch that have the same key. */
export interface KeyUse {
  /** SHA-256 of the key, lower-case hexadecimal. */
  hash: string;
  /** The number of requests to count; 0: only the last-used time is updated. */
  requests: number;
}

/** The state of a key in the records at the time of the query. */
export type KeyStanding = RefusedKey | CountedKey;

/** `refused` is the code of the error; `keyId` and `workspaceId` are null if the key is unknown. */
export interface RefusedKey {
  refused: Extract<ErrorCode, 'invalid_key' | 'plan_required'>;
  keyId: number | null;
  workspaceId: string | null;
}

export const UNKNOWN_KEY: RefusedKey = { refused: 'invalid_key', keyId: null, workspaceId: null };

/** The key is valid, and its requests are already counted. */
export interface CountedKey {
  refused: null;
  keyId: number;
  workspaceId: string;
  /** The allowance: requests of the workspace per minute. */
  limit: number;
  /** Requests of the workspace in this minute, including all of this batch and those that are refused. */
  used: number;
  /** Unix time in seconds when this minute ends. */
  minuteEnds: number;
  /** Whole seconds until the minute ends, at least 1. */
  secondsLeft: number;
}

/** What is absent keeps its value; a new workspace needs a name and a plan. */
export interface WorkspaceSettings {
  /** UUID, lower case. */
  id: string;
  name?: string | undefined;
  /** Free text; which plans include API access is decided when a request is admitted. */
  plan?: string | undefined;
  /** Null: the plan decides, as for a new workspace without this setting. */
  requestsPerMinute?: number | null | undefined;
}

export interface WorkspaceRecord {
  id: string;
  name: string;
  plan: string;
  includesApi: boolean;
  /** The effective allowance: the workspace's own, or else the plan's; null if the plan does not include the API. */
  requestsPerMinute: number | null;
  /** The number of keys that are not revoked. */
  activeKeys: number;
}

export interface KeyRecord {
  id: number;
  workspaceId: string;
  /** The first characters, see PREFIX_LENGTH. */
  prefix: string;
  label: string | null;
  /** This and the other times are ISO 8601, UTC. */
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** The newest checkpoint of a log that gateways have served. */
export interface KeptCheckpoint {
  origin: string;
  /** The signed note. */
  note: string;
  /** ISO 8601, UTC. */
  keptAt: string;
}

/**
 * `serve`: a gateway, which may migrate the database but never creates it, and must be able to admit requests. `create`:
 * a command that may create or migrate it. `manage`: a command that needs this schema version and never changes it.
 */
export type RecordsPurpose = 'serve' | 'create' | 'manage';

export interface RecordsOptions {
  /** `create` unless given. */
  purpose?: RecordsPurpose;
  /** SQLite's clock; PostgreSQL has its own, which all gateways share. */
  clock: Clock;
  /**
   * Milliseconds to wait for a busy or silent database: for each statement, for connecting, and for locks. With SQLite the
   * whole process waits.
   */
  maxWaitMs: number;
  /** Concurrent batches of admissions; SQLite always handles one. */
  batchesAtOnce: number;
}

/** How long a command waits for a busy database, in milliseconds. */
export const COMMAND_MAX_WAIT_MS = 5000;

/** Workspaces, plans, keys, allowances, and the memory of gateways: SQLite for one machine, PostgreSQL for several gateways. */
export interface Records {
  /** The name in messages; without a password. */
  readonly name: string;
  /**
   * Looks up each key, updates the last-used time of every known one and counts the requests of the valid ones, in one
   * transaction that starts now. The hashes must be distinct; the results are in their order. If it throws, no request
   * is admitted.
   */
  admit(uses: readonly KeyUse[]): KeyStanding[] | Promise<KeyStanding[]>;
  /**
   * Creates the workspace or changes it; the next admission sees it.
   * @throws Failure if a new one has no name or no plan.
   */
  setWorkspace(settings: WorkspaceSettings): Promise<WorkspaceRecord>;
  /** Sorted by id. */
  listWorkspaces(): Promise<WorkspaceRecord[]>;
  /** @throws Failure if the workspace is unknown. Null: the prefix is taken, try another key. */
  createKey(workspaceId: string, key: StoredKey, label: string | null): Promise<KeyRecord | null>;
  /** Oldest first. @throws Failure if the workspace is unknown. */
  listKeys(workspaceId: string): Promise<KeyRecord[]>;
  /** @throws Failure if the prefix is unknown or the key is revoked already. */
  revokeKey(prefix: string): Promise<KeyRecord>;
  /** The note that is kept of a log; null if there is none. */
  readCheckpoint(origin: string): Promise<string | null>;
  /** Replaces what is kept of the log only by a larger one, in one statement: gateways keep at the same time. */
  keepCheckpoint(origin: string, size: number, note: string): Promise<void>;
  /** Sorted by origin. */
  listCheckpoints(): Promise<KeptCheckpoint[]>;
  /** @throws Failure if none is kept. */
  forgetCheckpoint(origin: string): Promise<KeptCheckpoint>;
  /** Throws if the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The largest allowance that both databases and every client can count to. */
export const MOST_REQUESTS_PER_MINUTE = 1_000_000_000;
