import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ingest } from '../../../../jobs/ingest/ingest.ts';
import { makeDemo } from '../../../../jobs/demo/demo.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';

export const AS_OF = '2026-11-16T23:00:00Z';

export interface Size {
  brands: number;
  prompts: number;
  cycles: number;
  /** Of the invented data (default: 1). */
  seed?: number;
  /** The instant of the last cycle, in milliseconds (default: hours before {@link AS_OF}). */
  asOf?: number;
}

/** Creates a lake once; a second run re-uses it. @returns its folder */
export async function prepareLake(folder: string, size: Size, say: (text: string) => void): Promise<string> {
  const made = join(folder, nameOf(size));
  if (!existsSync(made)) await makeLake(made, size, say);
  return join(made, 'lake');
}

function nameOf({ brands, prompts, cycles, seed = 1 }: Size): string {
  return `${brands}x${prompts}x${cycles}${seed === 1 ? '' : `-${seed}`}`;
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
    asOf: BigInt(size.asOf ?? Date.parse('2026-11-16T06:00:00Z')) * 1000n,
  });
  say('ingesting it');
  const lake = directoryStore(join(unfinished, 'lake'));
  await ingest({ from: drop, lake, date: '2023-01-01' }, { clock: systemClock });
  await rm(drop, { recursive: true });
  await rename(unfinished, made);
}

/** Each round publishes to a new store. */
export async function forgetLog(lake: string): Promise<void> {
  await rm(join(lake, 'log'), { recursive: true, force: true });
}
