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

/** Sends a load with several processes, which begin when all of them are ready. @throws Failure if one of them ends early */
export async function sendWithProcesses(
  options: LoadOptions,
  targets: readonly Target[],
  processes: number,
): Promise<Tally> {
  const program = fileURLToPath(new URL('./sender.program.ts', import.meta.url));
  const children = Array.from({ length: processes }, () => fork(program, { serialization: 'advanced' }));
  const nextMessages = () => Promise.all(children.map(messageFrom));
  try {
    await nextMessages();
    const tallies = nextMessages();
    for (const [index, child] of children.entries())
      child.send({ options, targets, part: { index, of: processes } } satisfies Assignment);
    return sumOf((await tallies) as Tally[]);
  } finally {
    for (const child of children) child.kill();
  }
}

async function messageFrom(child: ChildProcess): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (status) =>
      reject(new Failure(`a process of the load tester ended with status ${status}`)),
    );
  });
}
