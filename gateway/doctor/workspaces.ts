import { ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';

/** A row of list-workspaces.sql, of either database. */
export interface ListedWorkspace {
  includes_api: boolean | number;
  active_keys: number;
}

export function judgeWorkspaces(rows: readonly ListedWorkspace[]): Finding {
  const keys = rows.reduce((sum, { active_keys: active }) => sum + active, 0);
  const withApi = rows.filter(({ includes_api: includes }) => Boolean(includes)).length;
  const found = `${rows.length} workspaces, ${withApi} of them with the API, ${keys} active keys`;
  const remedy =
    '"npm run records -- workspace set" and "key create" give clients access (docs/operations.md)';
  return keys > 0 && withApi > 0
    ? ok('records: workspaces', found)
    : warning('records: workspaces', found, remedy);
}
