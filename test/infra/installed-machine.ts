import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { markedBlock } from '../docs/pages.ts';
import { bootMachine } from './machine.ts';
import type { BootedMachine } from './machine.ts';

const MINUTES = 60_000;
export const state = '/var/lib/sightline';

/** A block of commands of docs/install.md. */
export function block(name: string): string {
  return markedBlock('docs/install.md', `machine: ${name}`);
}

/** A machine that was installed by the first block of docs/install.md, for all tests of a file. */
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

/** The returned object can be used as soon as the tests begin. */
export function installedMachine(): InstalledMachine {
  let folder: string;
  let reportedBefore = 0;
  const installed = {} as InstalledMachine;
  const sh = async (script: string) => await installed.machine.sh(script);
  const follow = async (script: string) => await installed.machine.follow(script);
  const printed = async (script: string) => (await follow(script)).stdout.trim();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-machine-'));
    const [online, ...offline] = block('install').split(/(?=^infra\/install)/m);
    installed.machine = await bootMachine(folder, online!);
    await follow(offline.join(''));
  }, 20 * MINUTES);
  afterAll(async () => {
    await (installed as Partial<InstalledMachine>).machine?.destroy();
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
