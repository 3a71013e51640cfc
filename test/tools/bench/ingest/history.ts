import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDemo } from '../../../../jobs/demo/demo.ts';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { makeTables } from '../../../../jobs/ingest/tables.ts';
import { writeRunIds } from '../../../../jobs/ingest/write.ts';
import { nextPlace, readLedger, recordDelivery } from '../../../../jobs/lake/ledger.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { markLake } from '../../../../lib/store/lake.ts';

export interface Size {
  brands: number;
  prompts: number;
}

const AS_OF = '2026-11-16T06:00:00Z';
const MONDAY = '2026-11-16';

/** Creates a delivered week, once. @returns its folder */
export async function prepareWeek(folder: string, { brands, prompts }: Size): Promise<string> {
  const week = join(folder, `week-${brands}x${prompts}`);
  if (existsSync(week)) return week;
  const unfinished = `${week}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const workspaces = Math.ceil(brands / 10);
  const asOf = parseInstant(AS_OF)!;
  await makeDemo({ to: unfinished, seed: 1, workspaces, brands, prompts, cycles: 1, asOf });
  await rename(unfinished, week);
  return week;
}

/** The file of a week's runs. */
export function runsOf(week: string): string {
  return join(week, `runs-${MONDAY}.ndjson`);
}

/**
 * Creates a lake with this number of weeks of other runs, once. It contains what a later ingest reads (ledger entries
 * and hashes of ids), but no runs. @returns its folder
 */
export async function prepareHistory(folder: string, size: Size, cycles: number): Promise<string> {
  const made = join(folder, `history-${size.brands}x${size.prompts}x${cycles}`);
  if (existsSync(made)) return made;
  const unfinished = `${made}.unfinished`;
  const scratch = `${made}.scratch`;
  for (const path of [unfinished, scratch]) await rm(path, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  const lake = directoryStore(unfinished);
  await markLake(lake);
  const database = await openDatabase({ scratch });
  const connection = await database.connect();
  await makeTables(connection);
  const runs = size.brands * size.prompts * 8;
  for (let age = cycles; age > 0; age--) {
    const date = new Date(Date.parse(MONDAY) - age * 7 * 86_400_000).toISOString().slice(0, 10);
    await execute(
      connection,
      `delete from staged_runs;
       insert into staged_runs by name select uuid() as id, date '${date}' as cycle_date from range(${runs})`,
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
  database.close();
  await rm(scratch, { recursive: true });
  await rename(unfinished, made);
  return made;
}
