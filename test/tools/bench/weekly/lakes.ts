import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDemo } from '../../../../jobs/demo/demo.ts';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { ingest } from '../../../../jobs/ingest/ingest.ts';
import { makeTables } from '../../../../jobs/ingest/tables.ts';
import { writeRunIds } from '../../../../jobs/ingest/write.ts';
import { nextPlace, readLedger, recordDelivery } from '../../../../jobs/lake/ledger.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { markLake } from '../../../../lib/store/lake.ts';
import { say } from '../objectives.ts';

/** Of each brand. */
const PROMPTS = 25;
/** Where lakes are written, once. */
const FOLDER = '.data/bench';
export const MONDAY = '2026-11-16';

/** A new, empty folder for what one round writes. */
export async function emptyWork(): Promise<string> {
  const work = join(FOLDER, 'work');
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  return work;
}

/** Makes a folder that appears whole or not at all; a second run re-uses it. @returns its path */
async function makeOnce(name: string, make: (unfinished: string) => Promise<void>): Promise<string> {
  const made = join(FOLDER, name);
  if (existsSync(made)) return made;
  say(`making ${made} …`);
  await mkdir(FOLDER, { recursive: true });
  const unfinished = `${made}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await make(unfinished);
  await rename(unfinished, made);
  return made;
}

async function makeDrop(to: string, brands: number, cycles: number, seed = 1): Promise<void> {
  const asOf = parseInstant(`${MONDAY}T06:00:00Z`)!;
  const workspaces = Math.ceil(brands / 10);
  await makeDemo({ to, seed, workspaces, brands, prompts: PROMPTS, cycles, asOf });
}

/** A drop of one week. */
export async function prepareWeek(brands: number): Promise<string> {
  return await makeOnce(`week-${brands}`, (unfinished) => makeDrop(unfinished, brands, 1));
}

/** The file of a week's runs. */
export function runsOf(week: string): string {
  return join(week, `runs-${MONDAY}.ndjson`);
}

/** A lake with all of its runs in one delivery. */
export async function prepareLake(brands: number, cycles: number, seed = 1): Promise<string> {
  return await makeOnce(`lake-${brands}x${cycles}-${seed}`, async (unfinished) => {
    const from = join(await emptyWork(), 'drop');
    await makeDrop(from, brands, cycles, seed);
    await ingest({ from, lake: directoryStore(unfinished), date: '2023-01-01' }, { clock: systemClock });
  });
}

/**
 * A lake with this number of weeks of other runs. It contains what a later ingest reads (ledger entries and hashes of
 * ids), but no runs.
 */
export async function prepareHistory(brands: number, cycles: number): Promise<string> {
  return await makeOnce(`history-${brands}x${cycles}`, async (folder) => {
    const scratch = await emptyWork();
    const lake = directoryStore(folder);
    await markLake(lake);
    using database = await openDatabase({ scratch });
    const connection = await database.connect();
    await makeTables(connection);
    for (let age = cycles; age > 0; age--) {
      const date = new Date(Date.parse(MONDAY) - age * 7 * 86_400_000).toISOString().slice(0, 10);
      await execute(
        connection,
        `delete from staged_runs;
         insert into staged_runs by name
         select uuid() as id, date '${date}' as cycle_date from range(${brands * PROMPTS * 8})`,
      );
      await recordDelivery(lake, {
        ...nextPlace(await readLedger(lake)),
        receivedAt: `${date}T06:00:00.000Z`,
        trackingDate: date,
        sources: [],
        tracking: [],
        runs: [],
        runBrands: null,
        runIds: await writeRunIds({ connection, lake, scratch }),
        rejects: null,
      });
    }
  });
}
