import { open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Failure } from '../failure.ts';

const PATIENCE_MS = 10_000;

/**
 * Runs `work` while holding a lock file. A lock whose holder has died on this machine is taken over at once;
 * one held by a living process, or from another machine, is waited for.
 * @throws Failure after ten seconds: the locked work takes milliseconds, so somebody should look.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() });
  for (let waited = 0; !(await acquire(file, mine)); waited += 20) {
    if (waited > PATIENCE_MS) {
      throw new Failure(`${file} is held by another process; remove it if no job is running`);
    }
    await sleep(20);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function acquire(file: string, mine: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(mine);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const held = await readFile(file, 'utf8').catch(() => '');
    if (isAbandoned(held)) await takeAway(file, held);
    return false;
  }
}

/** Of several that find a dead holder's lock, the rename lets one take it away; a lock made since goes back. */
async function takeAway(file: string, held: string): Promise<void> {
  const aside = `${file}.${randomUUID()}.lock`;
  try {
    await rename(file, aside);
    const taken = await readFile(aside, 'utf8');
    await (taken === held ? rm(aside) : rename(aside, file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function isAbandoned(held: string): boolean {
  let holder: { pid: number; host: string };
  try {
    holder = JSON.parse(held) as typeof holder;
  } catch {
    return false; // being written this very moment
  }
  if (holder.host !== hostname()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
