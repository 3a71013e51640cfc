import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { execute, openDatabase } from '../../../jobs/duckdb.ts';
import { literal } from '../../../jobs/literals.ts';
import { stateAsOf } from '../../../jobs/weekly/inputs/state.ts';
import { openWeek } from '../../../jobs/weekly/week.ts';
import type { Week } from '../../../jobs/weekly/week.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { deliver } from '../jobs.ts';
import { AS_OF } from '../lake.ts';

const files = ['workspaces', 'brands', 'competitors', 'prompts', 'events', 'runs'];

/** Makes a lake of the drop of many-brands.sql below a folder. */
export async function lakeOfManyBrands(folder: string): Promise<string> {
  const drop = join(folder, 'drop');
  await mkdir(drop, { recursive: true });
  using database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  await execute(connection, await readFile(new URL('./many-brands.sql', import.meta.url), 'utf8'));
  for (const file of files)
    await execute(connection, `copy ${file} to ${literal(join(drop, `${file}.parquet`))}`);
  const lake = join(folder, 'lake');
  await deliver(lake, { folder: drop, date: '2026-11-16' });
  return lake;
}

export async function weekOf(folder: string, bytesInSlice?: number): Promise<Week> {
  const [lake, asOf] = [directoryStore(folder), parseInstant(AS_OF)!];
  return await openWeek({ lake, state: stateAsOf(lake, await readLedger(lake), asOf), asOf, bytesInSlice });
}
