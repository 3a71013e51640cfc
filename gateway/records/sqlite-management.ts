import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { KeyRecord, Records, WorkspaceRecord } from './records.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

export type Management = Pick<
  Records,
  'setWorkspace' | 'listWorkspaces' | 'createKey' | 'listKeys' | 'revokeKey'
>;

export function sqliteManagement(database: SqliteDatabase, clock: Clock): Management {
  const workspaces = (id: string | null) =>
    database.rows<WorkspaceRow>('list-workspaces', id).map(toWorkspace);
  const keys = (workspaceId: string | null, prefix: string | null) =>
    database.rows<KeyRow>('list-keys', workspaceId, prefix).map(toKey);
  const demandWorkspace = (id: string) => {
    if (workspaces(id).length === 0)
      throw new Failure(`there is no workspace ${id} in the records; workspace set creates it`);
  };
  return {
    setWorkspace: async ({ id, name, plan, requestsPerMinute }) =>
      database.transaction(() => {
        const [row] = database.rows<{ number: number }>('set-workspace', id, name, plan, requestsPerMinute);
        database.rows('open-count', row!.number);
        return workspaces(id)[0]!;
      }),
    listWorkspaces: async () => workspaces(null),
    createKey: async (workspaceId, { hash, prefix }, label) =>
      database.transaction(() => {
        demandWorkspace(workspaceId);
        const now = clock.now();
        const [made] = database.rows<{ id: number }>('insert-key', workspaceId, hash, prefix, label, now);
        if (made === undefined) return null;
        database.rows('open-use', made.id);
        return keys(null, prefix)[0]!;
      }),
    listKeys: async (workspaceId) => {
      demandWorkspace(workspaceId);
      return keys(workspaceId, null);
    },
    revokeKey: async (prefix) =>
      database.transaction(() => {
        const revoked = database.rows('revoke-key', clock.now(), prefix);
        const [key] = keys(null, prefix);
        if (key === undefined) throw new Failure(`no key begins with ${prefix}`);
        if (revoked.length === 0) throw new Failure(`key ${prefix} was revoked already, at ${key.revokedAt}`);
        return key;
      }),
  };
}

interface WorkspaceRow {
  id: string;
  name: string;
  plan: string;
  includes_api: number;
  requests_per_minute: number | null;
  active_keys: number;
}

function toWorkspace(row: WorkspaceRow): WorkspaceRecord {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    includesApi: row.includes_api !== 0,
    requestsPerMinute: row.requests_per_minute,
    activeKeys: row.active_keys,
  };
}

interface KeyRow {
  id: number;
  workspace_id: string;
  prefix: string;
  label: string | null;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

function toKey(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    prefix: row.prefix,
    label: row.label,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: spell(row.last_used_at),
    revokedAt: spell(row.revoked_at),
  };
}

function spell(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
