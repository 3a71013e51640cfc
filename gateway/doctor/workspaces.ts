import { ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { toWorkspace } from '../records/management.ts';
import type { WorkspaceRow } from '../records/management.ts';

export function judgeWorkspaces(rows: readonly WorkspaceRow[]): Finding {
  const workspaces = rows.map(toWorkspace);
  const keys = workspaces.reduce((sum, { activeKeys }) => sum + activeKeys, 0);
  const withApi = workspaces.filter(({ includesApi }) => includesApi).length;
  const found = `${rows.length} workspaces, ${withApi} of them with the API, ${keys} active keys`;
  const remedy =
    '"npm run records -- workspace set" and "key create" give clients access (docs/operations.md)';
  return keys > 0 && withApi > 0
    ? ok('records: workspaces', found)
    : warning('records: workspaces', found, remedy);
}
