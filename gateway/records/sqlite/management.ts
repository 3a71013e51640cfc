import type { Clock } from '../../../lib/clock.ts';
import { demandRevoked, demandWorkspace, toKey, toWorkspace } from '../management.ts';
import type { KeyRow, Management, WorkspaceRow } from '../management.ts';
import type { SqliteDatabase } from './database.ts';

export function sqliteManagement(database: SqliteDatabase, clock: Clock): Management {
  const workspaces = (id: string | null) =>
    database.rows<WorkspaceRow>('management/list-workspaces', id).map(toWorkspace);
  const keys = (workspaceId: string | null, prefix: string | null) =>
    database.rows<KeyRow>('management/list-keys', workspaceId, prefix).map(toKey);
  return {
    setWorkspace: async ({ id, name, plan, requestsPerMinute }) =>
      database.transaction(() => {
        const [row] = database.rows<{ number: number }>(
          'management/set-workspace',
          id,
          name,
          plan,
          requestsPerMinute,
        );
        database.rows('admission/open-count', row!.number);
        return workspaces(id)[0]!;
      }),
    listWorkspaces: async () => workspaces(null),
    createKey: async (workspaceId, { hash, prefix }, label) =>
      database.transaction(() => {
        demandWorkspace(workspaces(workspaceId), workspaceId);
        const now = clock.now();
        const [made] = database.rows<{ id: number }>(
          'management/insert-key',
          workspaceId,
          hash,
          prefix,
          label,
          now,
        );
        if (made === undefined) return null;
        database.rows('admission/open-use', made.id);
        return keys(null, prefix)[0]!;
      }),
    listKeys: async (workspaceId) => {
      demandWorkspace(workspaces(workspaceId), workspaceId);
      return keys(workspaceId, null);
    },
    revokeKey: async (prefix) =>
      database.transaction(() => {
        const revoked = database.rows('management/revoke-key', clock.now(), prefix);
        return demandRevoked(keys(null, prefix)[0], prefix, revoked.length > 0);
      }),
  };
}
