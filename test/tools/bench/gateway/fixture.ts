import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../lib/clock.ts';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { routes } from '../../../../lib/documents/routes.ts';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { settingsOf } from '../../../gateway/gateway.ts';
import { acme, publishBrands } from '../../../gateway/snapshots.ts';
import { testLog } from '../../../snapshots/publish.ts';
import { startPostgres } from '../../../support/postgres.ts';

/** What all servers serve: one document of one workspace. Disposing it stops PostgreSQL. */
export interface Fixture extends AsyncDisposable {
  folder: string;
  /** Of a gateway that serves the document. */
  settings: Record<string, string>;
  recordsUrls: { sqlite: string; postgres: string };
  /** The key of the workspace, in both databases. */
  key: string;
  /** The requested path, and the expected bytes; the file `body.json` has them too. */
  path: string;
  body: Buffer;
}

const WORKSPACE = '11111111-1111-4111-8111-000000000000';
/** Their list has about 6 KB. */
const BRANDS = Array.from({ length: 40 }, (_, n) => ({
  ...acme,
  id: `0b5ef0a4-3a6e-4f0f-9c57-${String(n).padStart(12, '0')}`,
}));

/** Makes store, key and databases in `folder`. */
export async function makeFixture(folder: string): Promise<Fixture> {
  const postgres = await startPostgres(true);
  const recordsUrls = {
    sqlite: `sqlite:${join(folder, 'records.db')}`,
    postgres: await postgres.createDatabase(),
  };
  const key = newKey();
  for (const records of [
    openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }),
    await openPostgresRecords(recordsUrls.postgres, { batchesAtOnce: 1, maxWaitMs: 5000 }),
  ]) {
    const plan = { plan: 'enterprise', requestsPerMinute: MOST_REQUESTS_PER_MINUTE };
    await records.setWorkspace({ id: WORKSPACE, name: 'Bench', ...plan });
    await records.createKey(WORKSPACE, storedForm(key), null);
    await records.close();
  }
  const log = await testLog(folder);
  await publishBrands(log, WORKSPACE, BRANDS);
  const body = encodeDocument('brands', BRANDS);
  await writeFile(join(folder, 'body.json'), body);
  return {
    folder,
    settings: settingsOf(log),
    recordsUrls,
    key,
    path: routes.listBrands.path,
    body,
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
}
