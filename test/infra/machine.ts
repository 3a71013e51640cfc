import type { ChildProcess } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { destroy, endOf, makeDebian, runBeside, runIn, startIn } from './debian.ts';
import type { Ended } from './debian.ts';
import { sharedRelease } from './release.ts';

/** A booted Debian in a folder, with a release in /srv, not yet unpacked. */
export interface BootedMachine {
  /** The path of its root folder. */
  root: string;
  /** Runs a script in /srv as root. */
  sh(script: string): Promise<Ended>;
  /** As `run`. @throws Error if a line fails. */
  follow(script: string): Promise<Ended>;
  /** The log of Sightline's units. */
  journal(): Promise<string>;
  destroy(): Promise<void>;
}

/** @param online a script that needs the internet; the booted machine has a network of its own, without a way out. */
export async function bootMachine(folder: string, online: string): Promise<BootedMachine> {
  const root = join(folder, 'machine');
  await makeDebian(root, 'bookworm', ['systemd-sysv']);
  await cp(await sharedRelease(), join(root, 'srv'), { recursive: true });
  await runIn(root, online, { online: true });
  const booted = await startIn(root, ['--boot']);
  const ended = endOf(booted);
  await until(async () => booted.exitCode !== null || /running|degraded/.test(await stateOf(booted)));
  if (booted.exitCode !== null) throw new Error(`no Debian boots here: ${(await ended).stderr}`);
  const sh = async (script: string) => await runBeside(booted, ['sh', '-euc', `cd /srv; ${script}`]);
  const journal = async () => (await sh("journalctl --no-pager --unit 'sightline-*'")).stdout;
  const follow = async (script: string) => {
    const done = await sh(script);
    if (done.status === 0) return done;
    throw new Error(`${script}\n${done.stdout}\n${done.stderr}\n${await journal()}`);
  };
  return { root, sh, follow, journal, destroy: async () => await destroy(booted) };
}

async function stateOf(booted: ChildProcess): Promise<string> {
  const asked = runBeside(booted, ['systemctl', 'is-system-running']);
  return await asked.then(
    ({ stdout }) => stdout,
    () => '',
  );
}
