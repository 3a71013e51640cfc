import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { isDead, ownIdentity } from '../process.ts';
import type { ProcessIdentity } from '../process.ts';
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
    await writeFile(mine, JSON.stringify({ ...ownIdentity, token: randomUUID() }), { flag: 'wx' });
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

interface Holder extends ProcessIdentity {
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
