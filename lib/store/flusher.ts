import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A line in, a folder; a line out. `sync -f` is syncfs, which Node does not have. */
const SCRIPT = 'while IFS= read -r folder; do sync -f -- "$folder" && echo flushed || echo failed; done';

interface Flusher {
  /** False where the file system could not be flushed. */
  flush(folder: string): Promise<boolean>;
}

/**
 * A shell that lives as long as this process: starting a command means copying the page tables, 40 ms for 200 MB where
 * that was measured, and a job that publishes 200 workspaces flushes 400 times.
 */
function startFlusher(onEnd: () => void): Flusher {
  const child = spawn('sh', ['-c', SCRIPT], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting: ((isFlushed: boolean) => void)[] = [];
  const end = (): void => {
    onEnd();
    for (const answer of waiting.splice(0)) answer(false);
  };
  child.once('error', end).once('close', end);
  child.stdin.on('error', () => undefined); // it has ended, which `close` tells
  createInterface(child.stdout).on('line', (line) => waiting.shift()?.(line === 'flushed'));
  keepAlive(child, false);
  return {
    async flush(folder) {
      if (folder.includes('\n')) return false;
      keepAlive(child, true);
      const isFlushed = await new Promise<boolean>((resolve) => {
        waiting.push(resolve);
        child.stdin.write(`${folder}\n`);
      });
      if (waiting.length === 0) keepAlive(child, false);
      return isFlushed;
    },
  };
}

/** An idle flusher must not keep the process from ending, and one that is waited for must. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.stdin, child.stdout] as (NodeJS.RefCounted | null)[]) {
    if (isNeeded) handle?.ref();
    else handle?.unref();
  }
}

let flusher: Flusher | null = null;
let last: Promise<unknown> = Promise.resolve();
const notBegun = new Map<number, Promise<boolean>>();

/**
 * Flushes the file system that a folder is on. Whoever asks before a flush has begun shares it.
 * @param device the file system's number, as `stat` tells it
 */
export async function flushFileSystem(device: number, folder: string): Promise<boolean> {
  const shared = notBegun.get(device);
  if (shared !== undefined) return await shared;
  const turn = last.then(async () => {
    notBegun.delete(device);
    flusher ??= startFlusher(() => (flusher = null));
    return await flusher.flush(folder);
  });
  notBegun.set(device, turn);
  last = turn;
  return await turn;
}
