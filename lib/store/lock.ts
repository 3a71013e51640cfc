import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { codeOf, temporaryBeside } from './files.ts';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;

/**
 * Runs `work` while holding the lock of a file: `.lock-NAME` beside it. A lock whose holder has died on this machine
 * is taken over at once; one held by a living process, or from another machine, is waited for.
 * @throws Failure when one holder keeps it for ten seconds: the locked work takes milliseconds, so somebody should look.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const lock = join(dirname(file), `.lock-${basename(file)}`);
  let [seen, waited] = ['', 0];
  for (;;) {
    const held = await acquire(lock);
    if (held === null) break;
    // It is one holder that must not keep us waiting; a busy lock changes hands.
    waited = held === seen ? waited : 0;
    seen = held;
    if (waited > patienceMs) {
      throw new Failure(`${lock} is held by another process; remove it if no job is running`);
    }
    const pause = PAUSE_MS * (1 + Math.random());
    await sleep(pause);
    waited += pause;
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Null where the lock is ours now, otherwise what it says of its holder. It appears with its text, never without. */
async function acquire(lock: string): Promise<string | null> {
  const mine = temporaryBeside(lock);
  try {
    await writeFile(mine, JSON.stringify({ ...identity, token: randomUUID() }), { flag: 'wx' });
    await link(mine, lock);
    return null;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(mine, { force: true });
  }
  const held = await readFile(lock, 'utf8').catch(() => '');
  const holder = parseHolder(held);
  if (holder !== null && isDead(holder)) await takeAway(lock, held, holder.token);
  return held;
}

interface Holder {
  pid: number;
  /** When that process began, as the kernel counts: a number that a later process of the same pid does not have. */
  started: string;
  /** The process ids that `pid` is one of: those of this machine, since it was started, or of one container. */
  machine: string;
  token: string;
}

/**
 * Of several that find a dead holder's lock one may remove it: who first puts a mark on that very lock. Were it only
 * removed or moved, it could by now be the lock of the next holder.
 */
async function takeAway(lock: string, held: string, token: string): Promise<void> {
  const mark = `${lock}.${token}`;
  try {
    await writeFile(mark, '', { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  if ((await readFile(lock, 'utf8').catch(() => '')) === held) await rm(lock, { force: true });
  await rm(mark, { force: true });
}

function parseHolder(text: string): Holder | null {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return null; // gone since
  }
}

function isDead(holder: Holder): boolean {
  if (holder.machine !== identity.machine) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
  return startOf(holder.pid) !== holder.started;
}

/** Field 22 of Linux's /proc/PID/stat, behind the name in parentheses, which may hold anything. Elsewhere ''. */
function startOf(pid: number): string {
  return readOr(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]!;
  });
}

function readOr(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

const identity = {
  pid: process.pid,
  started: startOf(process.pid),
  machine: [
    hostname(),
    readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    readOr(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' '),
};
