/** How black-box tests serve a store and read it over HTTP: the gateway, its records and keys. */
import { join } from 'node:path';
import { z } from 'zod';
import { newKey, storedForm } from '../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import type { Records } from '../../gateway/records/records.ts';
import { openSqliteRecords } from '../../gateway/records/sqlite/records.ts';
import type { CountedKey } from '../../gateway/records/standing.ts';
import { systemClock } from '../../lib/clock.ts';
import type { DocumentName } from '../../lib/documents/kinds.ts';
import { documentSchemas } from '../../lib/documents/schemas.ts';
import { operationIds, operations, routes } from '../../lib/documents/routes.ts';
import { createKey, setPlan, settingsOf, workspaceId } from '../gateway/gateway.ts';
import { acme, publishBrands } from '../gateway/snapshots.ts';
import { testLog } from '../snapshots/publish.ts';

export { apiTables } from '../../lib/tables/names.ts';
export {
  createKey,
  globex,
  makeRecords,
  otherWorkspaceId,
  setPlan,
  settingsOf,
  startListeningGateway,
  workspaceId,
} from '../gateway/gateway.ts';
export type { ListeningGateway } from '../gateway/gateway.ts';
export { startPostgres } from '../support/postgres.ts';
export type { TestPostgres } from '../support/postgres.ts';
export { newKey };
export type { Records };

/** The path of each operation for a brand, with the path of its document in a snapshot. */
export function pathsOf(brandId: string): { path: string; document: string }[] {
  const documents: Partial<Record<DocumentName, string>> = {
    brands: 'brands.json',
    week: 'week.json',
    table: 'tables/visibility.json',
  };
  return operationIds.map((id) => ({
    path: routes[id].path.replace('{brandId}', brandId).replace('{table}', 'visibility'),
    document: documents[routes[id].answer] ?? `brands/${brandId}/${routes[id].answer}.json`,
  }));
}

/** The schema of a 200 response for a path. */
export function schemaOfBody(path: string): z.ZodType {
  const id = operationIds.find((operation) => {
    const pattern = routes[operation].path.replace('{brandId}', '[0-9a-f-]{36}').replace('{table}', '\\w+');
    return new RegExp(`^${pattern}$`).test(path);
  });
  if (id === undefined) throw new Error(`${path} is no path of the API`);
  return z.strictObject({ data: documentSchemas[routes[id].answer] });
}

/** The path of every operation, of the history too. */
export function everyPathOf(brandId: string, snapshotId: string): string[] {
  return operations.map(({ path }) =>
    path.replace('{brandId}', brandId).replace('{table}', 'visibility').replace('{snapshotId}', snapshotId),
  );
}

/** Records in `records.db` of a folder, which are made if they are not there. */
export function openRecords(folder: string): Records {
  return openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
}

export async function openRecordsInPostgres(url: string, maxWaitMs = 5000): Promise<Records> {
  return await openPostgresRecords(url, { batchesAtOnce: 2, maxWaitMs });
}

/** How many requests of a key's workspace are counted in the current minute, and when that ends. */
export async function countOf(records: Records, key: string): Promise<{ used: number; minuteEnds: number }> {
  return (await records.admit([{ hash: storedForm(key).hash, requests: 0 }]))[0] as CountedKey;
}

/**
 * Publishes a brand into a folder, and makes records with a key of its workspace.
 * @returns the key, and the settings of a gateway that serves the brand
 */
export async function makeServed(
  folder: string,
  requestsPerMinute: number | null,
): Promise<{ key: string; settings: Record<string, string> }> {
  const log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme]);
  const records = openRecords(folder);
  await setPlan(records, workspaceId, 'agency', requestsPerMinute);
  const key = await createKey(records, workspaceId);
  await records.close();
  const ofRecords = { RECORDS_URL: `sqlite:${folder}/records.db`, HOST: '127.0.0.1' };
  return { key, settings: { ...settingsOf(log), ...ofRecords } };
}
