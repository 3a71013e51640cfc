import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root as project } from '../docs/pages.ts';
import { projectFiles } from '../house/files.ts';
import { until } from '../support/until.ts';
import { destroy, endOf, makeDebian, runBeside, runIn, startIn } from './debian.ts';
import type { Ended } from './debian.ts';

/** A booted Debian in a folder, with the project in /srv/sightline. */
export interface BootedMachine {
  /** The path of its root folder. */
  root: string;
  /** Runs a script in /srv/sightline as root. */
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
  await bringTheProject(join(root, 'srv/sightline'));
  await runIn(root, `cd /srv/sightline; ${online}`, { online: true });
  const booted = await startIn(root, ['--boot']);
  const ended = endOf(booted);
  await until(async () => booted.exitCode !== null || /running|degraded/.test(await stateOf(booted)));
  if (booted.exitCode !== null) throw new Error(`no Debian boots here: ${(await ended).stderr}`);
  const sh = async (script: string) =>
    await runBeside(booted, ['sh', '-euc', `cd /srv/sightline; ${script}`]);
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

/** The Monday, 06:00 UTC, of which sightline-weekly publishes the week. */
function lastDue(now: number): string {
  const week = 7 * 86_400_000;
  const first = Date.parse('2026-01-05T06:00:00Z');
  return new Date(now - ((now - first) % week)).toISOString();
}

/** A clone, including files that are not in git yet, with a drop of the week that is due in it. */
async function bringTheProject(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const path of projectFiles().filter((file) => !file.startsWith('test/'))) {
    await cp(join(project, path), join(to, path));
  }
  const sizes = ['--workspaces', '1', '--brands', '3', '--prompts', '8'];
  const demo = [...sizes, '--as-of', lastDue(Date.now())];
  const program = join(project, 'jobs/cli.ts');
  await promisify(execFile)(process.execPath, [program, 'demo', '--to', join(to, 'my/drop'), ...demo]);
}
