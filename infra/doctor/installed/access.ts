import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../../lib/config.ts';
import { failure, ok } from '../finding.ts';
import type { Finding } from '../finding.ts';
import type { Installed } from './place.ts';
import type { Run } from './run.ts';

const [JOBS, GATEWAY] = ['sightline', 'sightline-gateway'];

/** What a user needs of a path and of all below it, in the words of find: an expression for what lacks it. */
interface Need {
  path: string;
  user: string;
  lacking: readonly string[];
  /** Followed by the path that lacks it. */
  complaint: string;
}

const unreadable = ['-not', '-readable', '-o', '-type', 'd', '-not', '-executable'];
const read = { lacking: unreadable, complaint: 'cannot read' };
/** Files are replaced as a whole, so that only folders are written. */
const publish = {
  lacking: [...unreadable, '-o', '-type', 'd', '-not', '-writable'],
  complaint: 'cannot write',
};
const change = { lacking: [...unreadable, '-o', '-not', '-writable'], complaint: 'cannot write' };
/** Otherwise the gateway could not read what is published next. */
const inherit = {
  lacking: ['-type', 'd', '(', '-not', '-group', GATEWAY, '-o', '-not', '-perm', '-g=rxs', ')'],
  complaint: `would write files without the group ${GATEWAY} to`,
};

/** Who needs what, of the folders that are on this machine. */
function needsOf({ state }: Installed, config: Config): Need[] {
  const { STORE_URL: store, LAKE_URL: lake, RECORDS_URL: records } = config;
  const needs: Need[] = [
    { path: `${state}/backups`, user: GATEWAY, ...publish },
    { path: `${state}/backups`, user: JOBS, ...read },
    { path: `${state}/verify`, user: JOBS, ...publish },
  ];
  if (store.kind === 'directory') {
    for (const [user, need] of [
      [JOBS, publish],
      [JOBS, inherit],
      [GATEWAY, read],
    ] as const)
      needs.push({ path: store.path, user, ...need });
  }
  if (lake.kind === 'directory') needs.push({ path: lake.path, user: JOBS, ...publish });
  if (records.kind === 'sqlite') needs.push({ path: dirname(records.path), user: GATEWAY, ...change });
  const { SIGNING_KEY_FILE: key, PUBLIC_KEY_FILE: publicKey } = config;
  if (key !== undefined) needs.push({ path: key, user: JOBS, ...read });
  if (publicKey !== undefined) needs.push({ path: publicKey, user: GATEWAY, ...read });
  return needs.filter(({ path }) => existsSync(path));
}

/**
 * Checks as the users of the units, and not as the one who runs the doctor, that each can read and write what it needs:
 * what was restored as root often belongs to root.
 */
export async function examineAccess(installed: Installed, config: Config, run: Run): Promise<Finding[]> {
  const looked = await Promise.all(needsOf(installed, config).map(async (need) => await judge(need, run)));
  const complaints = looked.flat();
  if (complaints.length === 0)
    return [ok('access', `${JOBS} and ${GATEWAY} can read and write what they need`)];
  return complaints;
}

async function judge({ path, user, lacking, complaint }: Need, run: Run): Promise<Finding[]> {
  const as = [`--reuid=${user}`, `--regid=${user}`, '--init-groups'];
  const find = ['find', '-H', path, '-ignore_readdir_race', '(', ...lacking, ')', '-print', '-quit'];
  const { status, stdout, stderr } = await run('setpriv', [...as, ...find]);
  const [first = ''] = stdout.split('\n');
  if (status === 0 && first === '') return [];
  const found = `${user} ${complaint} ${first === '' ? `${path}: ${stderr.trim()}` : first}`;
  const remedy =
    '"/opt/sightline/current/infra/install" sets owners, groups and modes below /var/lib/sightline again';
  return [failure('access', found, remedy)];
}
