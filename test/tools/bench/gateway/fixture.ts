import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../lib/clock.ts';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { documentPath } from '../../../../snapshots/layout.ts';
import { settingsOf } from '../../../gateway/gateway.ts';
import { contentOfDocuments, encodeList } from '../../../snapshots/documents.ts';
import { publishSnapshot, testLog } from '../../../snapshots/publish.ts';
import { startPostgres } from '../../../support/postgres.ts';
import type { TestPostgres } from '../../../support/postgres.ts';

/** What all servers serve: one document of one workspace. Disposing it stops PostgreSQL. */
export interface Fixture extends AsyncDisposable {
  folder: string;
  /** Of a gateway that serves the document. */
  settings: Record<string, string>;
  recordsUrls: { sqlite: string; postgres: string };
  postgres: TestPostgres;
  /** The key of the workspace, in both databases. */
  key: string;
  /** The requested path, and the expected bytes; the file `body.json` has them too. */
  path: string;
  body: Buffer;
}

const WORKSPACE = '11111111-1111-4111-8111-000000000000';
const BRAND = {
  id: '0b5ef0a4-3a6e-4f0f-9c57-000000000000',
  name: 'Acme',
  domain: 'acme.example',
  createdAt: '2026-01-05T09:30:00.000Z',
};
/** Of about 6 KB. */
const PROMPTS = 22;

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
  const body = promptsDocument();
  await writeFile(join(folder, 'body.json'), body);
  const documents = [encodeList([BRAND]), { path: documentPath(BRAND.id, 'prompts'), bytes: body }];
  await publishSnapshot(log, contentOfDocuments(WORKSPACE, '2026-11-16T06:00:00.000Z', documents));
  return {
    folder,
    settings: settingsOf(log),
    recordsUrls,
    postgres,
    key,
    path: `/api/v1/brands/${BRAND.id}/prompts`,
    body,
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
}

function promptsDocument(): Buffer {
  const { createdAt, ...brand } = BRAND;
  return encodeDocument('prompts', {
    brand,
    prompts: Array.from({ length: PROMPTS }, (_, n) => ({
      id: `7d6f3f3e-8d5b-4a0e-9d57-${String(n).padStart(12, '0')}`,
      text: `Which tool number ${n * 7919} would you recommend to a company of ${n + 3} people, and why?`,
      isActive: n % 5 !== 0,
      createdAt,
      namesBrand: false,
      tags: [],
    })),
  });
}
