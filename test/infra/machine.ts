import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { markedBlock } from '../docs/pages.ts';
import { until } from '../support/until.ts';
import { destroy, endOf, makeDebian, removeControlGroup, runBeside, runIn, startIn } from './debian.ts';
import type { Ended } from './debian.ts';
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
  inFolder: (path: string) => Promise<string[]>;
  /** The log of Sightline's units. */
  journal: () => Promise<string>;
  /** The units whose failure was reported since the last call. */
  reported: () => Promise<string>;
  /** Removes all data and settings, and installs the current release again. */
  startOver: () => Promise<void>;
}

const isReady = 'curl --silent --fail http://127.0.0.1:9464/readyz';
/** A gateway that is stopped serves for 3 more seconds. These tests stop it often, and do not look at that. */
const WITHOUT_DRAIN = 'echo DRAIN_SECONDS=0 >> /etc/sightline/gateway.env';
const MINUTES = 60_000;

/**
 * The machine of a file of tests; it can be used as soon as the tests begin.
 * @param packages of Debian in addition to the page's: downloaded, and not installed
 */
export function installedMachine(packages: readonly string[]): Machine {
  let folder: string;
  let stop: (() => Promise<void>) | null = null;
  const machine = {} as Machine;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-machine-'));
    const root = join(folder, 'machine');
    const [online, ...offline] = block('install').split(/^(?=sha256sum)/m);
    await makeDebian(root, 'bookworm');
    await cp(await sharedRelease(), join(root, 'srv'), { recursive: true });
    // The booted machine has a network of its own, without a way out.
    const install = 'apt-get install --yes --no-install-recommends';
    await runIn(
      root,
      `apt-get update; ${install} systemd-sysv\n${online!}${install} --download-only ${packages.join(' ')}`,
      { online: true, environment: { DEBIAN_FRONTEND: 'noninteractive' } },
    );
    stop = await boot(machine, root);
    await machine.follow(`${offline.join('')}${WITHOUT_DRAIN}`);
  }, 20 * MINUTES);
  afterAll(async () => {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  });
  return machine;
}

/** Boots a Debian. @returns what ends it */
async function boot(machine: Machine, root: string): Promise<() => Promise<void>> {
  const controlGroup = `sightline-test-${process.pid}`;
  const booted = await startIn(root, ['--boot'], { controlGroup });
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
  const sh = async (script: string) => await runBeside(booted, ['sh', '-euc', `cd /srv; ${script}`]);
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
    await until(async () => (await sh(script)).status === 0, script, { everyMs: 100 });
  return {
    root,
    sh,
    follow,
    journal,
    untilTrue,
    printed: async (script) => (await follow(script)).stdout.trim(),
    untilReady: async () => await untilTrue(isReady),
    inFolder: async (path) => (await readdir(join(root, path)).catch((): string[] => [])).toSorted(),
    reported: async () => {
      const { stdout } = await sh('cat /var/log/failed');
      const fresh = stdout.slice(reportedBefore);
      reportedBefore = stdout.length;
      return fresh;
    },
    startOver: async () => {
      reportedBefore = 0;
      await follow(`systemctl stop 'sightline-*'
        ! mountpoint --quiet ${state}/copies || umount ${state}/copies
        rm -rf ${state} /etc/sightline /var/log/failed /var/tmp/*
        /opt/sightline/current/infra/install
        ${WITHOUT_DRAIN}`);
    },
  };
}
