import { demandRevoked, demandWorkspace, toKey, toWorkspace } from '../management.ts';
import type { KeyRow, Management, WorkspaceRow } from '../management.ts';
import type { PostgresDatabase, RunSql } from './database.ts';

export function postgresManagement(database: PostgresDatabase): Management {
  return {
    setWorkspace: async ({ id, name, plan, requestsPerMinute }) =>
      await database.transaction(async (rows) => {
        await rows('management/set-workspace', id, name, plan, requestsPerMinute);
        return (await workspaces(rows, id))[0]!;
      }),
    listWorkspaces: async () => await workspaces(database.rows, null),
    createKey: async (workspaceId, { hash, prefix }, label) =>
      await database.transaction(async (rows) => {
        demandWorkspace(await workspaces(rows, workspaceId), workspaceId);
        const made = await rows('management/insert-key', workspaceId, hash, prefix, label);
        return made.length === 0 ? null : (await keys(rows, null, prefix))[0]!;
      }),
    listKeys: async (workspaceId) => {
      demandWorkspace(await workspaces(database.rows, workspaceId), workspaceId);
      return await keys(database.rows, workspaceId, null);
    },
    revokeKey: async (prefix) =>
      await database.transaction(async (rows) => {
        const revoked = await rows('management/revoke-key', prefix);
        const [key] = await keys(rows, null, prefix);
        return demandRevoked(key, prefix, revoked.length > 0);
      }),
  };
}

async function workspaces(rows: RunSql, id: string | null) {
  return (await rows<WorkspaceRow>('management/list-workspaces', id)).map(toWorkspace);
}

async function keys(rows: RunSql, workspaceId: string | null, prefix: string | null) {
  return (await rows<KeyRow>('management/list-keys', workspaceId, prefix)).map(toKey);
}
