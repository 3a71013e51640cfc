import { readdir, readFile } from 'node:fs/promises';

export interface Usage {
  /** Of the process, the helpers and the helpers' children. */
  cpuSeconds: number;
  /** Of the process alone. */
  residentBytes: number;
}

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** From /proc; null on systems without it. */
export async function usageOf(pid: number, helpers: readonly number[]): Promise<Usage | null> {
  const own = await statOf(pid);
  if (own === null) return null;
  const everybody = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .map(statOf),
  );
  const counted = everybody.filter(
    (stat) => stat !== null && (helpers.includes(stat.pid) || helpers.includes(stat.parent)),
  );
  const ticks = [own, ...counted].reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, residentBytes: own.pages * PAGE_BYTES };
}

async function statOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // After the name, which may contain blanks: state, parent, … utime and stime at 11 and 12, resident pages at 21.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { pid, parent: fields[1]!, ticks: fields[11]! + fields[12]!, pages: fields[21]! };
}
