import { Failure } from '../../lib/failure.ts';
import type { Clock } from '../../lib/clock.ts';
import { newKey, storedForm } from '../records/keys.ts';
import type { StoredKey } from '../records/keys.ts';
import type { RunSql } from './sql.ts';
import { limitOf } from './standing.ts';
import type { KeyStanding, KeyUse } from './standing.ts';

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
  /** Concurrent batches of admissions, 1 unless given; SQLite always handles one. */
  batchesAtOnce?: number;
}

/** How long a command waits for a busy database, in milliseconds. */
export const COMMAND_MAX_WAIT_MS = 5000;

/** The largest allowance that both databases and every client can count to. */
export const MOST_REQUESTS_PER_MINUTE = 1_000_000_000;

/** The part of the records that each kind of database does in its own way. */
interface RecordsDatabase extends Pick<Records, 'name' | 'admit' | 'close'> {
  rows: RunSql;
}

/**
 * Workspaces, plans, keys, allowances, and the memory of gateways: in SQLite for one machine, in PostgreSQL for several
 * gateways. Each operation writes with one statement, or can be repeated after it was interrupted.
 */
export class Records {
  /** The name in messages; without a password. */
  readonly name: string;
  /**
   * Looks up each key, updates the last-used time of every known one and counts the requests of the valid ones, in one
   * transaction that starts now. The hashes must be distinct; the results are in their order. If it throws, no request
   * is admitted.
   */
  admit: (uses: readonly KeyUse[]) => KeyStanding[] | Promise<KeyStanding[]>;
  close: () => Promise<void>;
  readonly #rows: RunSql;

  constructor({ name, admit, close, rows }: RecordsDatabase) {
    this.name = name;
    this.admit = admit;
    this.close = close;
    this.#rows = rows;
  }

  /**
   * Creates the workspace or changes it; the next admission sees it.
   * @throws Failure if a new one has no name or no plan.
   */
  async setWorkspace({ id, ...given }: WorkspaceSettings): Promise<WorkspaceRecord> {
    const [old] = await this.#rows<WorkspaceRow>('sql/list-workspaces', id);
    const [name, plan] = [given.name ?? old?.name, given.plan ?? old?.plan];
    if (name === undefined || plan === undefined)
      throw new Failure(`there is no workspace ${id} in the records; to create it, give --name and --plan`);
    const { requestsPerMinute = old?.ownLimit ?? null } = given;
    await this.#rows('sql/set-workspace', id, name, plan, requestsPerMinute);
    return (await this.#workspaces(id))[0]!;
  }

  /** Sorted by id. */
  async listWorkspaces(): Promise<WorkspaceRecord[]> {
    return await this.#workspaces(null);
  }

  /** @throws Failure if the workspace is unknown. Null: the prefix is taken, try another key. */
  async createKey(
    workspaceId: string,
    { hash, prefix }: StoredKey,
    label: string | null,
  ): Promise<KeyRecord | null> {
    await this.#demandWorkspace(workspaceId);
    const made = await this.#rows('sql/insert-key', workspaceId, hash, prefix, label);
    return made.length === 0 ? null : (await this.#rows<KeyRecord>('sql/list-keys', null, prefix))[0]!;
  }

  /**
   * Creates a key. Tries another one if the prefix is taken, which is rare: there are four billion prefixes.
   * @returns the key, which is not stored, and its record
   * @throws Failure if the workspace is unknown
   */
  async makeKey(workspaceId: string, label: string | null): Promise<{ key: string; made: KeyRecord }> {
    for (;;) {
      const key = newKey();
      const made = await this.createKey(workspaceId, storedForm(key), label);
      if (made !== null) return { key, made };
    }
  }

  /** Oldest first. @throws Failure if the workspace is unknown. */
  async listKeys(workspaceId: string): Promise<KeyRecord[]> {
    await this.#demandWorkspace(workspaceId);
    return await this.#rows<KeyRecord>('sql/list-keys', workspaceId, null);
  }

  /** @throws Failure if the prefix is unknown or the key is revoked already. */
  async revokeKey(prefix: string): Promise<KeyRecord> {
    const revoked = await this.#rows('sql/revoke-key', prefix);
    const [key] = await this.#rows<KeyRecord>('sql/list-keys', null, prefix);
    if (key === undefined) throw new Failure(`no key begins with ${prefix}`);
    if (revoked.length === 0) throw new Failure(`key ${prefix} was revoked already, at ${key.revokedAt}`);
    return key;
  }

  /** The note that is kept of a log; null if there is none. */
  async readCheckpoint(origin: string): Promise<string | null> {
    const [kept] = await this.#rows<KeptCheckpoint>('sql/list-checkpoints', origin);
    return kept?.note ?? null;
  }

  /** Replaces what is kept of the log only by a larger one, in one statement: gateways keep at the same time. */
  async keepCheckpoint(origin: string, size: number, note: string): Promise<void> {
    await this.#rows('sql/keep-checkpoint', origin, size, note);
  }

  /** Sorted by origin. */
  async listCheckpoints(): Promise<KeptCheckpoint[]> {
    return await this.#rows<KeptCheckpoint>('sql/list-checkpoints', null);
  }

  /** @throws Failure if none is kept. */
  async forgetCheckpoint(origin: string): Promise<KeptCheckpoint> {
    const [forgotten] = await this.#rows<KeptCheckpoint>('sql/forget-checkpoint', origin);
    if (forgotten === undefined) throw new Failure(`no checkpoint is kept of the log ${origin}`);
    return forgotten;
  }

  /** Throws if the database does not respond. */
  async ping(): Promise<void> {
    await this.#rows('sql/newest-workspace');
  }

  async #workspaces(id: string | null): Promise<WorkspaceRecord[]> {
    return (await this.#rows<WorkspaceRow>('sql/list-workspaces', id)).map(toWorkspace);
  }

  async #demandWorkspace(id: string): Promise<void> {
    if ((await this.#workspaces(id)).length > 0) return;
    throw new Failure(`there is no workspace ${id} in the records; workspace set creates it`);
  }
}

/** A row of list-workspaces.sql. */
export interface WorkspaceRow extends Pick<WorkspaceRecord, 'id' | 'name' | 'plan' | 'activeKeys'> {
  /** Null: the plan decides. */
  ownLimit: number | null;
}

export function toWorkspace({ ownLimit, activeKeys, ...row }: WorkspaceRow): WorkspaceRecord {
  const requestsPerMinute = limitOf(row.plan, ownLimit);
  return { ...row, includesApi: requestsPerMinute !== null, requestsPerMinute, activeKeys };
}

/** A row of count-records.sql. */
export interface RecordCounts {
  workspaces: number;
  keys: number;
  revokedKeys: number;
  usedKeys: number;
}
