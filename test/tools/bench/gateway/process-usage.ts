import { readdir, readFile } from 'node:fs/promises';

export interface Usage {
  /** Of the process, and of PostgreSQL. */
  cpuSeconds: number;
  /** Of the process alone. */
  residentBytes: number;
}

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** @param postmaster of the PostgreSQL that the process uses, if it does */
export async function usageOf(pid: number, postmaster: number | null): Promise<Usage> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = (await Promise.all(all.map(statOf))).filter((stat) => stat !== null);
  const counted = stats.filter(
    (stat) => stat.pid === pid || stat.pid === postmaster || stat.parent === postmaster,
  );
  return {
    cpuSeconds: counted.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentBytes: counted.find((stat) => stat.pid === pid)!.pages * PAGE_BYTES,
  };
}

/** Null for a process that has ended meanwhile. */
async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // After the name, which may contain blanks: state, parent, … utime and stime at 11 and 12, resident pages at 21.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, pages] = [1, 11, 12, 21].map((at) => Number(fields[at])) as [
    number,
    number,
    number,
    number,
  ];
  return { pid, parent, ticks: user + system, pages };
}
