import { Failure } from '../../lib/failure.ts';
import { newKey, storedForm } from '../admission/keys.ts';
import type { KeptCheckpoint, KeyRecord, Records, WorkspaceRecord } from './records.ts';
import { limitOf } from './standing.ts';
import type { RunSql } from './sql.ts';

/**
 * What commands do, for either database. Each operation writes with one statement, or can be repeated after it was
 * interrupted.
 */
export function managementOf(
  rows: RunSql,
): Pick<Records, 'setWorkspace' | 'listWorkspaces' | 'createKey' | 'listKeys' | 'revokeKey'> {
  const workspaces = async (id: string | null) =>
    (await rows<WorkspaceRow>('sql/list-workspaces', id)).map(toWorkspace);
  const keys = async (workspaceId: string | null, prefix: string | null) =>
    (await rows<KeyRow>('sql/list-keys', workspaceId, prefix)).map(toKey);
  const demandWorkspace = async (id: string) => {
    if ((await workspaces(id)).length > 0) return;
    throw new Failure(`there is no workspace ${id} in the records; workspace set creates it`);
  };
  return {
    async setWorkspace({ id, ...given }) {
      const [old] = await rows<WorkspaceRow>('sql/list-workspaces', id);
      const [name, plan] = [given.name ?? old?.name, given.plan ?? old?.plan];
      if (name === undefined || plan === undefined)
        throw new Failure(`there is no workspace ${id} in the records; to create it, give --name and --plan`);
      const { requestsPerMinute = old?.ownLimit ?? null } = given;
      const [set] = await rows<{ number: number }>('sql/set-workspace', id, name, plan, requestsPerMinute);
      await rows('sql/open-count', set!.number);
      return (await workspaces(id))[0]!;
    },
    listWorkspaces: async () => await workspaces(null),
    async createKey(workspaceId, { hash, prefix }, label) {
      await demandWorkspace(workspaceId);
      const made = await rows('sql/insert-key', workspaceId, hash, prefix, label);
      return made.length === 0 ? null : (await keys(null, prefix))[0]!;
    },
    async listKeys(workspaceId) {
      await demandWorkspace(workspaceId);
      return await keys(workspaceId, null);
    },
    async revokeKey(prefix) {
      const revoked = await rows('sql/revoke-key', prefix);
      const [key] = await keys(null, prefix);
      if (key === undefined) throw new Failure(`no key begins with ${prefix}`);
      if (revoked.length === 0) {
        throw new Failure(`key ${prefix} was revoked already, at ${key.revokedAt}`);
      }
      return key;
    },
  };
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

/** A row of list-checkpoints.sql. */
type CheckpointRow = Omit<KeptCheckpoint, 'keptAt'> & { keptAt: Time };

/** The memory of gateways, and the question whether the database responds, for either database. */
export function memoryOf(
  rows: RunSql,
): Pick<Records, 'readCheckpoint' | 'keepCheckpoint' | 'listCheckpoints' | 'forgetCheckpoint' | 'ping'> {
  const list = async (origin: string | null): Promise<KeptCheckpoint[]> => {
    const found = await rows<CheckpointRow>('sql/list-checkpoints', origin);
    return found.map(({ keptAt, ...row }) => ({ ...row, keptAt: isoOf(keptAt) }));
  };
  return {
    readCheckpoint: async (origin) => (await list(origin))[0]?.note ?? null,
    keepCheckpoint: async (origin, size, note) =>
      void (await rows('sql/keep-checkpoint', origin, size, note)),
    listCheckpoints: async () => await list(null),
    async forgetCheckpoint(origin) {
      const [known] = await list(origin);
      const forgotten = await rows('sql/forget-checkpoint', origin);
      if (known === undefined || forgotten.length === 0)
        throw new Failure(`no checkpoint is kept of the log ${origin}`);
      return known;
    },
    ping: async () => void (await rows('sql/newest-workspace')),
  };
}

/** A row of count-records.sql. */
export interface RecordCounts {
  workspaces: number;
  keys: number;
  revokedKeys: number;
  usedKeys: number;
}

/** ISO 8601 from SQLite, a date from PostgreSQL. */
type Time = Date | string;

/** A row of list-keys.sql. */
interface KeyRow extends Omit<KeyRecord, 'createdAt' | 'lastUsedAt' | 'revokedAt'> {
  createdAt: Time;
  lastUsedAt: Time | null;
  revokedAt: Time | null;
}

function toKey({ createdAt, lastUsedAt, revokedAt, ...row }: KeyRow): KeyRecord {
  return {
    ...row,
    createdAt: isoOf(createdAt),
    lastUsedAt: lastUsedAt && isoOf(lastUsedAt),
    revokedAt: revokedAt && isoOf(revokedAt),
  };
}

export function isoOf(time: Time): string {
  return new Date(time).toISOString();
}

/**
 * Creates a key. Tries another one if the prefix is taken, which is rare: there are four billion prefixes.
 * @returns the key, which is not stored, and its record
 * @throws Failure if the workspace is unknown
 */
export async function makeKey(
  records: Pick<Records, 'createKey'>,
  workspaceId: string,
  label: string | null,
): Promise<{ key: string; made: KeyRecord }> {
  for (;;) {
    const key = newKey();
    const made = await records.createKey(workspaceId, storedForm(key), label);
    if (made !== null) return { key, made };
  }
}
