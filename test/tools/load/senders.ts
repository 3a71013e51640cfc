import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../../lib/failure.ts';
import type { Part } from './send.ts';
import { sumOf } from './tally.ts';
import type { Tally } from './tally.ts';
import type { LoadOptions, Target } from './types.ts';

export interface Assignment {
  options: LoadOptions;
  targets: readonly Target[];
  part: Part;
}

export interface Sent {
  tally: Tally;
  /** The share of the time of sending in which the event loop was busy; of several processes the highest. */
  utilization: number;
  cpuSeconds: number;
}

/** One process sends about this many requests a second with a third of a core. */
const RATE_OF_A_PROCESS = 4000;

/** How many processes send: no more than the rate needs, and one core is left to a gateway on this machine. */
export function processesFor({ url, rate, processes, connections }: LoadOptions): number {
  if (processes !== undefined) return Math.min(processes, connections);
  const cores = availableParallelism() - (isLoopback(url) ? 1 : 0);
  return Math.max(1, Math.min(cores, connections, Math.ceil(rate / RATE_OF_A_PROCESS)));
}

export function isLoopback(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** Sends a load with several processes, which begin together when all of them are ready. */
export async function sendWithProcesses(
  options: LoadOptions,
  targets: readonly Target[],
  processes: number,
): Promise<Sent> {
  const program = fileURLToPath(new URL('./sender.program.ts', import.meta.url));
  const children = Array.from({ length: processes }, () => fork(program, { serialization: 'advanced' }));
  try {
    await Promise.all(
      children.map((child, index) => {
        child.send({ options, targets, part: { index, of: processes } } satisfies Assignment);
        return messageFrom(child);
      }),
    );
    for (const child of children) child.send('begin');
    const sent = await Promise.all(children.map((child) => messageFrom<Sent>(child)));
    return {
      tally: sumOf(sent.map(({ tally }) => tally)),
      utilization: Math.max(...sent.map(({ utilization }) => utilization)),
      cpuSeconds: sent.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    };
  } finally {
    for (const child of children) child.kill();
  }
}

/** The next message of a process. @throws Failure if it ends before */
async function messageFrom<Message>(child: ChildProcess): Promise<Message> {
  return await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message));
    child.once('exit', (status) =>
      reject(new Failure(`a process of the load tester ended with status ${status}`)),
    );
  });
}
