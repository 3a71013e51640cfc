import { existsSync } from 'node:fs';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { systemClock } from '../../../lib/clock.ts';
import { parseInstant } from '../../../lib/instant.ts';
import { directoryStore } from '../../../lib/store/directory.ts';

export const AS_OF = '2026-11-16T23:00:00Z';
/** The week before, up to which facts are kept. */
const BEFORE = '2026-11-15T23:00:00Z';

export interface Size {
  brands: number;
  prompts: number;
  cycles: number;
}

export interface Lake {
  /** All cycles, with facts and a base up to the one before the last. */
  lake: string;
  /** A copy of those facts and that base, to begin each round from. */
  kept: string;
  /** The last cycle as it was delivered. */
  week: string;
}

const DERIVED = ['facts', 'bases'];

/** Makes the lake once; a second run finds it. */
export async function prepareLake(folder: string, size: Size, say: (text: string) => void): Promise<Lake> {
  const name = `${size.brands}x${size.prompts}x${size.cycles}`;
  const made = join(folder, name);
  const lake: Lake = { lake: join(made, 'lake'), kept: join(made, 'kept'), week: join(made, 'week') };
  if (existsSync(made)) return lake;
  const unfinished = join(folder, `${name}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  const [drop, at] = [join(unfinished, 'drop'), directoryStore(join(unfinished, 'lake'))];
  say('making the drop');
  await makeDemo({
    to: drop,
    seed: 1,
    workspaces: Math.ceil(size.brands / 10),
    ...size,
    asOf: parseInstant('2026-11-16T06:00:00Z')!,
    format: 'ndjson',
  });
  say('ingesting it');
  await ingest({ from: drop, lake: at, date: '2024-01-01' }, { clock: systemClock });
  say('reducing all weeks but the last');
  await weekly({ lake: at, store: directoryStore(join(unfinished, 'store')), asOf: parseInstant(BEFORE)! });
  for (const derived of DERIVED) {
    await cp(join(unfinished, 'lake', derived), join(unfinished, 'kept', derived), { recursive: true });
  }
  const lastRuns = (await readdir(drop))
    .filter((file) => file.startsWith('runs'))
    .toSorted()
    .at(-1)!;
  await cp(join(drop, lastRuns), join(unfinished, 'week', 'runs.ndjson'));
  await rm(drop, { recursive: true });
  await rm(join(unfinished, 'store'), { recursive: true });
  await rename(unfinished, made);
  return lake;
}

/** Forgets what earlier rounds kept of the last cycle. */
export async function restoreFacts({ lake, kept }: Lake): Promise<void> {
  for (const derived of DERIVED) {
    await rm(join(lake, derived), { recursive: true, force: true });
    await cp(join(kept, derived), join(lake, derived), { recursive: true });
  }
}
