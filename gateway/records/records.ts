import type { StoredKey } from '../admission/keys.ts';

/** Requests that wait for admission and carry the same key. */
export interface KeyUse {
  /** SHA-256 of the key, lower-case hexadecimal. */
  hash: string;
  /** How many are to be counted. 0: the last use is stamped, and nothing is counted. */
  requests: number;
}

/** What the records say of a key at the instant of asking. Null: no such key. */
export type KeyStanding = RevokedStanding | PlanlessStanding | CountedStanding | BusyStanding | null;

interface KnownKey {
  keyId: number;
  workspaceId: string;
}

export interface RevokedStanding extends KnownKey {
  standing: 'revoked';
}

export interface PlanlessStanding extends KnownKey {
  standing: 'plan_required';
}

/** The key is good, and its requests are already counted against the minute. */
export interface CountedStanding extends KnownKey {
  standing: 'counted';
  /** Requests that the workspace may make in a minute. */
  limit: number;
  /** Requests of the workspace in this minute, all those of this batch included, refused ones too. */
  used: number;
  /** Unix time in seconds when this minute ends. */
  minuteEnds: number;
  /** Whole seconds until then, at least 1. */
  secondsLeft: number;
}

/** Another transaction has the count of its workspace locked: nothing was counted or stamped. */
export interface BusyStanding {
  standing: 'busy';
}

export interface WorkspaceSettings {
  /** UUID, lower case. */
  id: string;
  name: string;
  /** Free text; which plans include API access is decided when a request is admitted. */
  plan: string;
  /** Null: the plan's own. */
  requestsPerMinute: number | null;
}

export interface WorkspaceRecord {
  id: string;
  name: string;
  plan: string;
  includesApi: boolean;
  /** What counts: the workspace's own number, or else the plan's; null where the plan does not include the API. */
  requestsPerMinute: number | null;
  /** Keys that are not revoked. */
  activeKeys: number;
}

export interface KeyRecord {
  id: number;
  workspaceId: string;
  /** The first characters, see PREFIX_LENGTH. */
  prefix: string;
  label: string | null;
  /** ISO 8601, UTC, as are the others. */
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/**
 * `serve`: a gateway, which makes or migrates the database and must be able to admit requests. `create`: a command that
 * may make or migrate it. `manage`: a command that needs records of this version, and never changes their schema.
 */
export type RecordsPurpose = 'serve' | 'create' | 'manage';

/** How long a command waits for a database that is busy, in milliseconds; nothing else waits with it. */
export const COMMAND_MAX_WAIT_MS = 5000;

/** Workspaces, plans, keys and allowances : SQLite for one machine, PostgreSQL for several gateways. */
export interface Records {
  /** For messages; never with a password. */
  readonly name: string;
  /**
   * Asks about each key, stamps the last use of every known one and counts the requests of the good ones, all in
   * one transaction that starts now. Hashes are distinct. Results are in the order of the hashes. If it throws, no request is admitted.
   */
  admit(uses: readonly KeyUse[]): KeyStanding[] | Promise<KeyStanding[]>;
  /** Creates the workspace or changes it; the next admission sees it. */
  setWorkspace(settings: WorkspaceSettings): Promise<WorkspaceRecord>;
  /** In the order of their ids. */
  listWorkspaces(): Promise<WorkspaceRecord[]>;
  /** @throws Failure where the workspace is unknown. Null: the prefix is taken, try another key. */
  createKey(workspaceId: string, key: StoredKey, label: string | null): Promise<KeyRecord | null>;
  /** Oldest first. @throws Failure where the workspace is unknown. */
  listKeys(workspaceId: string): Promise<KeyRecord[]>;
  /** @throws Failure where the prefix is unknown or the key is revoked already. */
  revokeKey(prefix: string): Promise<KeyRecord>;
  /** Throws where the database cannot be asked. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The largest allowance that both databases and every client can count to. */
export const MOST_REQUESTS_PER_MINUTE = 1_000_000_000;
