import { Failure } from '../../lib/failure.ts';
import type { KeyRecord, Records, WorkspaceRecord } from './records.ts';

/** The operations of commands on records, the same for both databases. */
export type Management = Pick<
  Records,
  'setWorkspace' | 'listWorkspaces' | 'createKey' | 'listKeys' | 'revokeKey'
>;

/** A row of list-workspaces.sql. */
export interface WorkspaceRow {
  id: string;
  name: string;
  plan: string;
  includes_api: boolean | number;
  requests_per_minute: number | null;
  active_keys: number;
}

export function toWorkspace(row: WorkspaceRow): WorkspaceRecord {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    includesApi: Boolean(row.includes_api),
    requestsPerMinute: row.requests_per_minute,
    activeKeys: row.active_keys,
  };
}

/** A point in time, as a driver returns it; numbers are milliseconds since the Unix epoch. */
type Time = Date | number;

/** A row of list-keys.sql. */
export interface KeyRow {
  id: number;
  workspace_id: string;
  prefix: string;
  label: string | null;
  created_at: Time;
  last_used_at: Time | null;
  revoked_at: Time | null;
}

export function toKey(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    prefix: row.prefix,
    label: row.label,
    createdAt: isoOf(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : isoOf(row.last_used_at),
    revokedAt: row.revoked_at === null ? null : isoOf(row.revoked_at),
  };
}

function isoOf(time: Time): string {
  return new Date(time).toISOString();
}

/** @throws Failure if `found` has no such workspace. */
export function demandWorkspace(found: readonly WorkspaceRecord[], id: string): void {
  if (found.length > 0) return;
  throw new Failure(`there is no workspace ${id} in the records; workspace set creates it`);
}

/**
 * @param isRevokedNow false if the key was not active
 * @throws Failure if there is no such key, or it was revoked before
 */
export function demandRevoked(key: KeyRecord | undefined, prefix: string, isRevokedNow: boolean): KeyRecord {
  if (key === undefined) throw new Failure(`no key begins with ${prefix}`);
  if (!isRevokedNow) throw new Failure(`key ${prefix} was revoked already, at ${key.revokedAt}`);
  return key;
}
