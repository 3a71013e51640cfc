import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const exec = promisify(execFile);

/** Starts Debian's PostgreSQL: its pg_dump refuses servers of later versions. */
export async function startDebianPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-postgres-'));
  await chmod(folder, 0o755);
  const versions = await readdir('/usr/lib/postgresql');
  const bin = `/usr/lib/postgresql/${versions.toSorted().at(-1)}/bin`;
  const data = join(folder, 'data');
  // PostgreSQL never runs as root. setpriv becomes the server, so that it gets our signals.
  const user =
    userInfo().uid === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  if (user.length > 0) {
    const { stdout } = await exec('id', ['-u', 'postgres']);
    await chown(folder, Number(stdout), 0);
  }
  const run = (name: string, ...args: string[]) => [...user, join(bin, name), ...args];
  const [program, ...args] = run('initdb', '--auth=trust', '--username=sightline', '--no-sync', data);
  await exec(program!, args, { cwd: folder });
  const port = await freePort();
  const [server, ...options] = run('postgres', '-D', data, '-p', String(port), '-k', '', '-F');
  const child = spawn(server!, options, { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const stop = async () => {
    child.kill('SIGINT'); // disconnects its clients
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const isReady = async () => {
    const asked = exec(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]);
    return await asked.then(
      () => true,
      () => false,
    );
  };
  await until(isReady, 'PostgreSQL accepts connections');
  return { url: `postgres://sightline:secret@127.0.0.1:${port}/postgres`, stop };
}
