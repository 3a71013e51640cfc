import { Failure } from '../../lib/failure.ts';
import type { PostgresDatabase, RunSql } from './postgres-database.ts';
import type { KeyRecord, Records, WorkspaceRecord } from './records.ts';

type Management = Pick<Records, 'setWorkspace' | 'listWorkspaces' | 'createKey' | 'listKeys' | 'revokeKey'>;

export function postgresManagement(database: PostgresDatabase): Management {
  return {
    setWorkspace: async ({ id, name, plan, requestsPerMinute }) =>
      await database.transaction(async (rows) => {
        await rows('set-workspace', id, name, plan, requestsPerMinute);
        return (await workspaces(rows, id))[0]!;
      }),
    listWorkspaces: async () => await workspaces(database.rows, null),
    createKey: async (workspaceId, { hash, prefix }, label) =>
      await database.transaction(async (rows) => {
        await demandWorkspace(rows, workspaceId);
        const made = await rows('insert-key', workspaceId, hash, prefix, label);
        return made.length === 0 ? null : (await keys(rows, null, prefix))[0]!;
      }),
    listKeys: async (workspaceId) => {
      await demandWorkspace(database.rows, workspaceId);
      return await keys(database.rows, workspaceId, null);
    },
    revokeKey: async (prefix) =>
      await database.transaction(async (rows) => {
        const revoked = await rows('revoke-key', prefix);
        const [key] = await keys(rows, null, prefix);
        if (key === undefined) throw new Failure(`no key begins with ${prefix}`);
        if (revoked.length === 0) throw new Failure(`key ${prefix} was revoked already, at ${key.revokedAt}`);
        return key;
      }),
  };
}

async function demandWorkspace(rows: RunSql, id: string): Promise<void> {
  if ((await workspaces(rows, id)).length === 0) {
    throw new Failure(`there is no workspace ${id} in the records; workspace set creates it`);
  }
}

interface WorkspaceRow {
  id: string;
  name: string;
  plan: string;
  includes_api: boolean;
  requests_per_minute: number | null;
  active_keys: number;
}

async function workspaces(rows: RunSql, id: string | null): Promise<WorkspaceRecord[]> {
  return (await rows<WorkspaceRow>('list-workspaces', id)).map((row) => ({
    id: row.id,
    name: row.name,
    plan: row.plan,
    includesApi: row.includes_api,
    requestsPerMinute: row.requests_per_minute,
    activeKeys: row.active_keys,
  }));
}

interface KeyRow {
  id: number;
  workspace_id: string;
  prefix: string;
  label: string | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

async function keys(rows: RunSql, workspaceId: string | null, prefix: string | null): Promise<KeyRecord[]> {
  return (await rows<KeyRow>('list-keys', workspaceId, prefix)).map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    prefix: row.prefix,
    label: row.label,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }));
}
