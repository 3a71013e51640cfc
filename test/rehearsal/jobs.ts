import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';

type Settings = Record<string, string>;

/** The outcome of a command. */
export interface Ended {
  /** Its exit status, or the signal that killed it. */
  how: string;
  /** The JSON that it printed; null if it printed none. */
  printed: unknown;
  complaint: string;
}

export interface Job {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Starts one of our commands with JSON output, with low priority, as a job on a gateway's machine should have. */
export function startJob(program: string, args: readonly string[], settings: Settings): Job {
  const command = ['-n', '5', process.execPath, program, ...args, '--json'];
  const child = spawn('nice', command, {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<string>((resolve) =>
    child.once('exit', (status, signal) => resolve(String(signal ?? status))),
  );
  const run = async () => {
    const [printed, complaint, how] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
    return { how, printed: printed === '' ? null : (JSON.parse(printed) as unknown), complaint };
  };
  return { child, ended: run() };
}

/** The JSON output. @throws Error if the status is not 0. */
export async function runJob(program: string, args: readonly string[], settings: Settings): Promise<unknown> {
  const { how, printed, complaint } = await startJob(program, args, settings).ended;
  if (how !== '0') throw new Error(`${program} ${args[0]} ended with ${how}: ${complaint}`);
  return printed;
}
