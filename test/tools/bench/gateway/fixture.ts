import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../lib/clock.ts';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { BRANDS_PATH, documentPath } from '../../../../snapshots/layout.ts';
import { USUAL_ORIGIN } from '../../../../snapshots/log/identity.ts';
import { openPublisher } from '../../../../snapshots/publish/publisher.ts';
import { generateKeyPair, readSigner } from '../../../../snapshots/signing.ts';
import { startPostgres } from '../../../support/postgres.ts';
import type { TestPostgres } from '../../../support/postgres.ts';

/** What all servers serve: one document of one workspace. Disposing it stops PostgreSQL. */
export interface Fixture extends AsyncDisposable {
  folder: string;
  storeUrl: string;
  publicKeyFile: string;
  sqliteUrl: string;
  postgresUrl: string;
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
const BODY_BYTES = 6000;

/** Makes store, key and databases in `folder`. */
export async function makeFixture(folder: string): Promise<Fixture> {
  const postgres = await startPostgres(true);
  const postgresUrl = await postgres.createDatabase();
  const key = newKey();
  for (const records of [
    openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }),
    await openPostgresRecords(postgresUrl, { batchesAtOnce: 1, maxWaitMs: 5000 }),
  ]) {
    const plan = { plan: 'enterprise', requestsPerMinute: MOST_REQUESTS_PER_MINUTE } as const;
    await records.setWorkspace({ id: WORKSPACE, name: 'Bench', ...plan });
    await records.createKey(WORKSPACE, storedForm(key), null);
    await records.close();
  }
  const body = promptsDocument();
  await writeFile(join(folder, 'body.json'), body);
  return {
    folder,
    ...(await publish(folder, body)),
    sqliteUrl: `sqlite:${join(folder, 'records.db')}`,
    postgresUrl,
    postgres,
    key,
    path: `/api/v1/brands/${BRAND.id}/prompts`,
    body,
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
}

/** Prompts of about 6 KB. */
function promptsDocument(): Buffer {
  const { createdAt, ...brand } = BRAND;
  for (let prompts = 1; ; prompts++) {
    const data = {
      brand,
      prompts: Array.from({ length: prompts }, (_, n) => ({
        id: `7d6f3f3e-8d5b-4a0e-9d57-${String(n).padStart(12, '0')}`,
        text: `Which tool number ${n * 7919} would you recommend to a company of ${n + 3} people, and why?`,
        isActive: n % 5 !== 0,
        createdAt,
        namesBrand: false,
        tags: [],
      })),
    };
    const encoded = encodeDocument('prompts', data);
    if (encoded.length >= BODY_BYTES) return encoded;
  }
}

async function publish(folder: string, prompts: Buffer) {
  const { privatePem, publicPem } = generateKeyPair();
  const [privateKeyFile, publicKeyFile] = [join(folder, 'private.pem'), join(folder, 'public.pem')];
  await writeFile(privateKeyFile, privatePem);
  await writeFile(publicKeyFile, publicPem);
  const publisher = await openPublisher({
    store: directoryStore(join(folder, 'store')),
    lake: directoryStore(join(folder, 'lake')),
    origin: USUAL_ORIGIN,
    signer: await readSigner(privateKeyFile),
    clock: systemClock,
  });
  const content = {
    workspaceId: WORKSPACE,
    asOf: '2026-11-16T06:00:00.000Z',
    methodologyVersion: '1.0',
    codeVersion: 'bench',
    duckdbVersion: 'none',
    inputs: [],
    documents: [
      { path: BRANDS_PATH, bytes: encodeDocument('brands', [BRAND]) },
      { path: documentPath(BRAND.id, 'prompts'), bytes: prompts },
    ],
  };
  await publisher.add(content, () => null);
  for (const { outcome } of await publisher.finish()) if ('error' in outcome) throw outcome.error;
  return { storeUrl: join(folder, 'store'), publicKeyFile };
}
