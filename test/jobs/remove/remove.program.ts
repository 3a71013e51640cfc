/**
 * Removes WORKSPACE from LAKE and dies of SIGKILL, itself, after the N-th write or deletion:
 * `remove.program.ts LAKE WORKSPACE N`.
 */
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { interposedStore } from '../../support/interposed-store.ts';

const [location, workspaceId, n] = process.argv.slice(2);
let changes = 0;
const lake = interposedStore(directoryStore(location!), {
  after: ({ method }) => {
    if (!['create', 'createFromFile', 'delete'].includes(method)) return;
    changes += 1;
    if (changes === Number(n)) process.kill(process.pid, 'SIGKILL');
  },
});
const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
await removeWorkspace({ lake, workspaceId: workspaceId!, isDryRun: false, threads: 1 }, { clock });
