import { existsSync } from 'node:fs';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ingest } from '../../../../jobs/ingest/ingest.ts';
import { makeDemo } from '../../../../jobs/demo/demo.ts';
import { BASES, basesVersion } from '../../../../jobs/weekly/history/layout.ts';
import { weekly } from '../../../../jobs/weekly/weekly.ts';
import { benchLog } from '../log.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';

export const AS_OF = '2026-11-16T23:00:00Z';
/** The week before; the base is of it. */
const BEFORE = '2026-11-15T23:00:00Z';

export interface Size {
  brands: number;
  prompts: number;
  cycles: number;
}

export interface Lake {
  /** All cycles, with a base up to the one before the last. */
  lake: string;
  /** A copy of that base, to begin each round from. */
  kept: string;
  /** The last cycle as it was delivered. */
  week: string;
}

/** Creates the lake and its base once; a second run re-uses both. */
export async function prepareLake(folder: string, size: Size, say: (text: string) => void): Promise<Lake> {
  const made = join(folder, nameOf(size));
  const lake: Lake = {
    lake: join(made, 'lake'),
    kept: join(made, `kept-${await basesVersion()}`),
    week: join(made, 'week'),
  };
  if (!existsSync(made)) await makeLake(made, size, say);
  if (!existsSync(lake.kept)) await keepBase(lake, say);
  return lake;
}

function nameOf({ brands, prompts, cycles }: Size): string {
  return `${brands}x${prompts}x${cycles}`;
}

async function makeLake(made: string, size: Size, say: (text: string) => void): Promise<void> {
  const unfinished = `${made}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const drop = join(unfinished, 'drop');
  say(`making a drop of ${nameOf(size)}`);
  await makeDemo({
    to: drop,
    seed: 1,
    workspaces: Math.ceil(size.brands / 10),
    ...size,
    asOf: parseInstant('2026-11-16T06:00:00Z')!,
  });
  say('ingesting it');
  const lake = directoryStore(join(unfinished, 'lake'));
  await ingest({ from: drop, lake, date: '2024-01-01' }, { clock: systemClock });
  const runs = (await readdir(drop)).filter((file) => file.startsWith('runs')).toSorted();
  await cp(join(drop, runs.at(-1)!), join(unfinished, 'week', 'runs.ndjson'));
  await rm(drop, { recursive: true });
  await rename(unfinished, made);
}

async function keepBase({ lake, kept }: Lake, say: (text: string) => void): Promise<void> {
  say('reducing all weeks but the last');
  const store = `${kept}.store`;
  await rm(join(lake, BASES), { recursive: true, force: true });
  const { publicKeyFile: _, ...log } = await benchLog(store, undefined, directoryStore(lake));
  await weekly({ ...log, asOf: parseInstant(BEFORE)! });
  await rm(store, { recursive: true });
  const unfinished = `${kept}.unfinished`;
  await cp(join(lake, BASES), join(unfinished, BASES), { recursive: true });
  await rename(unfinished, kept);
}

/** Removes the base and the log of the last cycle that earlier rounds wrote: each round publishes to a new store. */
export async function restoreBase({ lake, kept }: Lake): Promise<void> {
  await forgetLog(lake);
  await rm(join(lake, BASES), { recursive: true, force: true });
  await cp(join(kept, BASES), join(lake, BASES), { recursive: true });
}

export async function forgetLog(lake: string): Promise<void> {
  await rm(join(lake, 'log'), { recursive: true, force: true });
}
