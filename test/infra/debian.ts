import { execFile, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Ended } from '../support/program.ts';
import { describeUnlessMissing, missingOf } from '../support/requires.ts';
import { shared } from './plain-debians.ts';

const exec = promisify(execFile);

/** `describe` for tests that create a Debian in a folder and run programs in it. */
export function describeInDebian(name: string, body: () => void): void {
  const isRoot = process.getuid?.() === 0;
  const missing = [
    ...missingOf(['mmdebstrap', 'systemd-nspawn', 'nsenter']),
    ...(isRoot ? [] : ['the rights of root']),
  ];
  const refused = missing.length === 0 ? whyNoContainer() : null;
  if (refused !== null) missing.push(`a machine that starts containers (${refused})`);
  const remedy = 'apt-get install mmdebstrap systemd-container, and be root';
  describeUnlessMissing(missing, remedy, name, body);
}

/** The error of systemd-nspawn if it cannot run `true` on this machine; null if it can. */
function whyNoContainer(): string | null {
  const probe = ['--directory=/', '--volatile=yes', '--private-network', 'true'];
  const { status, stderr } = spawnSync('unshare', [...inOwnState, ...unregistered, ...probe], {
    encoding: 'utf8',
  });
  return status === 0 ? null : stderr.trim().split('\n').at(-1)!;
}

/** Copies a plain Debian of this suite to a new folder; all tests of a run share the plain one. */
export async function makeDebian(folder: string, suite: string): Promise<void> {
  const plain = await shared(suite, async (made) => await bootstrap(made, suite));
  await exec('cp', ['-a', plain, folder]);
}

/** Creates a plain Debian in a new folder, from the mirror of this machine, in 25 CPU seconds. */
async function bootstrap(folder: string, suite: string): Promise<void> {
  const proxies = ['Acquire::http::Proxy', 'Acquire::https::Proxy'];
  const { stdout } = await exec('apt-config', ['dump', '--no-empty', ...proxies]);
  const options = stdout.split('\n').filter((line) => proxies.some((name) => line.startsWith(`${name} `)));
  await exec('mmdebstrap', [
    '--quiet',
    '--variant=minbase',
    '--dpkgopt=force-unsafe-io', // need not survive a power cut
    '--skip=cleanup/apt/lists', // what updates them has less to do
    ...options.map((option) => `--aptopt=${option}`),
    suite,
    folder,
    await mirror(),
  ]);
}

async function mirror(): Promise<string> {
  const format = ['--format', '$(ORIGIN) $(COMPONENT) $(REPO_URI)', 'Created-By: Packages'];
  const { stdout } = await exec('apt-get', ['indextargets', ...format]);
  const found = stdout.split('\n').flatMap((line) => /^Debian main (\S+?)\/?$/.exec(line)?.[1] ?? []);
  return found.find((address) => !address.includes('security')) ?? 'http://deb.debian.org/debian';
}

export interface Machine {
  /** Further arguments of systemd-nspawn. */
  options?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Uses this machine's network; otherwise there is only a loopback interface. */
  online?: boolean;
  /** A control group for its processes: systemds in the same one would end each other's units. */
  controlGroup?: string;
}

/**
 * Starts a program as process 1 in a Debian folder. If it or the test run is killed, all its processes end and no mount
 * is left: the PID namespace ends the processes that systemd-nspawn does not.
 */
export function startIn(folder: string, command: readonly string[], machine: Machine = {}): ChildProcess {
  const network = machine.online === true ? networkOptions() : ['--private-network'];
  const environment = Object.entries(machine.environment ?? {});
  return spawn(
    'setpriv',
    [
      '--pdeathsig=KILL',
      'unshare',
      ...inOwnState,
      ...unregistered,
      `--directory=${folder}`,
      `--machine=sightline-test-${process.pid}`,
      '--kill-signal=SIGTERM',
      ...network,
      ...environment.map(([name, value]) => `--setenv=${name}=${value}`),
      ...(machine.options ?? []),
      ...command,
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CONTROL_GROUP: machine.controlGroup },
    },
  );
}

/** systemd-nspawn stores files in /run, and leaves some there with a warning if /run is on a disk. */
const withOwnState = `mkdir -p /run/systemd/nspawn && mount -t tmpfs tmpfs /run/systemd/nspawn
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  [ -n "\${CONTROL_GROUP-}" ] && [ -e $hierarchy/cgroup.procs ] || continue
  mkdir -p $hierarchy/$CONTROL_GROUP && echo 0 > $hierarchy/$CONTROL_GROUP/cgroup.procs
done
exec systemd-nspawn "$@"`;
const inOwnState = [
  '--mount',
  '--pid',
  '--mount-proc',
  '--fork',
  '--kill-child=KILL',
  'sh',
  '-euc',
  withOwnState,
  'sh',
];
const unregistered = ['--quiet', '--register=no', '--keep-unit', '--link-journal=no', '--console=pipe'];

export async function endOf(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { status, stdout, stderr };
}

/** Runs lines of shell in a Debian folder and returns the outcome. @throws Error if the status is not 0. */
export async function runIn(folder: string, script: string, machine: Machine = {}): Promise<Ended> {
  const ended = await endOf(startIn(folder, ['sh', '-euc', script], machine));
  if (ended.status !== 0) {
    throw new Error(`status ${ended.status} of: ${script}\n${ended.stdout}\n${ended.stderr}`);
  }
  return ended;
}

/** This machine's network, as its apt uses it. */
function networkOptions(): string[] {
  const proxies = Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$/i.test(name));
  return ['--resolv-conf=copy-host', ...proxies.map(([name, value]) => `--setenv=${name}=${value}`)];
}

/** The first child of a process; null if there is none, or the process has ended. */
function childOf(pid: number | null | undefined): number | null {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child === '' ? null : Number(child);
  } catch (error) {
    // ESRCH: it ended between opening and reading the file.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return null;
    throw error;
  }
}

/** The process id, on the host, of process 1 of a started Debian; null until it runs. */
function firstProcessOf(child: ChildProcess): number | null {
  return childOf(childOf(child.pid));
}

/** Sends SIGTERM to process 1, as a container runtime does. */
export function terminate(child: ChildProcess): void {
  process.kill(childOf(child.pid)!, 'SIGTERM');
}

/** Kills all processes of a started Debian, and waits for their end. */
export async function destroy(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Waits for process 1 and not the child: process 1 of a PID namespace ends only after all others.
  process.kill(childOf(child.pid) ?? child.pid!, 'SIGKILL');
  await ended;
}

/** Removes the empty control group that a started Debian left. */
export async function removeControlGroup(name: string): Promise<void> {
  const hierarchies = ['', '/systemd', '/unified'].map((path) => `/sys/fs/cgroup${path}/${name}`);
  const left = hierarchies.filter((path) => existsSync(path));
  await exec('find', [...left, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
}

/** Runs a program in a started Debian, as root, in the namespaces of its process 1. */
export async function runBeside(
  child: ChildProcess,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const all = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    ...environment,
  };
  const set = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  const enter = ['--target', String(firstProcessOf(child)), '--all', '--', 'env', '-i', ...set, ...command];
  return await endOf(spawn('nsenter', enter, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] }));
}
