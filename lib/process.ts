import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells a process from all others, also from a later one that has its number. */
export interface ProcessIdentity {
  pid: number;
  /** When that process began, as the kernel counts: a number that a later process of the same pid does not have. */
  started: string;
  /** The process ids that `pid` is one of: those of this machine, since it was started, or of one container. */
  machine: string;
}

/** True where the process is known to have ended; false also where it was another machine's. */
export function isDead(other: ProcessIdentity): boolean {
  if (other.machine !== ownIdentity.machine) return false;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  return startOf(other.pid) !== other.started;
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

export const ownIdentity: ProcessIdentity = {
  pid: process.pid,
  started: startOf(process.pid),
  machine: [
    hostname(),
    readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    readOr(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' '),
};
