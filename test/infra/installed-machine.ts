import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { tryLock } from '../../lib/files/file-lock.ts';
import type { FileLock } from '../../lib/files/file-lock.ts';
import { markedBlock } from '../docs/pages.ts';
import { until } from '../support/until.ts';
import { bootMachine } from './machine.ts';
import type { BootedMachine } from './machine.ts';

const MINUTES = 60_000;
export const state = '/var/lib/sightline';

/** A block of commands of docs/first-monday.md. */
export function block(name: string): string {
  return markedBlock('docs/first-monday.md', `machine: ${name}`);
}

/** Two booted machines would share the control groups of their units, and end each other's. */
const TURN = join(tmpdir(), 'sightline-machine.lock');

/** A machine that was installed by the first block of docs/first-monday.md, for all tests of a file. */
export interface InstalledMachine {
  machine: BootedMachine;
  sh: BootedMachine['sh'];
  follow: BootedMachine['follow'];
  /** Runs a script and returns its output. */
  printed: (script: string) => Promise<string>;
  isReady: () => Promise<boolean>;
  inFolder: (path: string) => Promise<string[]>;
  /** The units whose failure was reported since the last call. */
  reported: () => Promise<string>;
  gatewayPid: () => Promise<string>;
}

/** The returned object can be used as soon as the tests begin. `packages`: of Debian, in addition to the page's. */
export function installedMachine(packages: readonly string[] = []): InstalledMachine {
  let folder: string;
  let reportedBefore = 0;
  let turn: FileLock | null = null;
  const installed = {} as InstalledMachine;
  const sh = async (script: string) => await installed.machine.sh(script);
  const follow = async (script: string) => await installed.machine.follow(script);
  const printed = async (script: string) => (await follow(script)).stdout.trim();
  beforeAll(async () => {
    await until(
      () => {
        turn = tryLock(TURN);
        return turn !== null;
      },
      'no other test has a machine',
      { withinSeconds: 40 * 60, everyMs: 1000 },
    );
    folder = await mkdtemp(join(tmpdir(), 'sightline-machine-'));
    const [online, ...offline] = block('install').split(/^(?=sha256sum)/m);
    const more = packages.length === 0 ? '' : `apt-get install --yes ${packages.join(' ')}`;
    installed.machine = await bootMachine(folder, `${online!}${more}`);
    await follow(offline.join(''));
  }, 40 * MINUTES);
  afterAll(async () => {
    await (installed as Partial<InstalledMachine>).machine?.destroy();
    turn?.release();
    await rm(folder, { recursive: true, force: true });
  });
  return Object.assign(installed, {
    sh,
    follow,
    printed,
    isReady: async () => (await sh('curl --silent --fail http://127.0.0.1:9464/readyz')).status === 0,
    inFolder: async (path: string) =>
      (await readdir(join(installed.machine.root, path)).catch((): string[] => [])).toSorted(),
    reported: async () => {
      const { stdout } = await sh('cat /var/log/failed');
      const fresh = stdout.slice(reportedBefore);
      reportedBefore = stdout.length;
      return fresh;
    },
    gatewayPid: async () => await printed('systemctl show -P MainPID sightline-gateway'),
  });
}
