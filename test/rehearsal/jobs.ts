import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';

type Settings = Record<string, string>;

export interface Job {
  child: ChildProcess;
  /** What it printed, once it ended with status 0. Rejects where it ended otherwise. */
  done: Promise<unknown>;
}

/** Starts a command of ours that prints JSON. It yields to what serves, as a job beside gateways should. */
export function startJob(program: string, args: readonly string[], settings: Settings): Job {
  const command = ['-n', '5', process.execPath, program, ...args, '--json'];
  const child = spawn('nice', command, {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<string>((resolve) =>
    child.once('exit', (status, signal) => resolve(String(signal ?? status))),
  );
  const run = async () => {
    const [printed, complaint, how] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (how !== '0') throw new Error(`${program} ${args[0]} ended with ${how}: ${complaint}`);
    return JSON.parse(printed) as unknown;
  };
  const done = run();
  done.catch(() => undefined); // whoever waits for it later is told
  return { child, done };
}

export async function runJob(program: string, args: readonly string[], settings: Settings): Promise<unknown> {
  return await startJob(program, args, settings).done;
}
