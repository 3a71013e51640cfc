import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../lib/clock.ts';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { BRANDS_PATH, documentPath } from '../../../../snapshots/layout.ts';
import { publishSnapshot } from '../../../../snapshots/publish/publish.ts';
import type { Publication } from '../../../../snapshots/publish/publish.ts';
import { newKey, storedForm } from '../../../../gateway/admission/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { startPostgres } from '../../../gateway/postgres.ts';
import type { TestPostgres } from '../../../gateway/postgres.ts';

/** What all contenders serve and ask. */
export interface Fixture {
  folder: string;
  storeUrl: string;
  sqliteUrl: string;
  postgresUrl: string;
  postgres: TestPostgres;
  /** The path that is asked for, and the bytes that must come back. */
  path: string;
  body: Buffer;
  dispose(): Promise<void>;
}

type Brand = Record<'id' | 'name' | 'domain' | 'createdAt', string>;

/** The n-th of any number of brands. */
export function benchBrand(n: number): Brand {
  const id = `0b5ef0a4-3a6e-4f0f-9c57-${n.toString(16).padStart(12, '0')}`;
  return { id, name: `Acme ${n}`, domain: 'acme.example', createdAt };
}

const createdAt = '2026-01-05T09:30:00.000Z';
const BODY_BYTES = 6000;

/** `keys` keys, shared out to `workspaces` with one brand each, the same for SQLite and PostgreSQL. */
export async function makeFixture(folder: string, keys: number, workspaces: number): Promise<Fixture> {
  const storeUrl = join(folder, 'store');
  const sqliteUrl = `sqlite:${join(folder, 'records.db')}`;
  const postgres = await startPostgres(undefined, true);
  const postgresUrl = await postgres.createDatabase();
  const brand = benchBrand(0);
  const body = promptsOf(brand);
  const made = Array.from({ length: keys }, (_, n) => ({
    workspaceId: `11111111-1111-4111-8111-${String(n % workspaces).padStart(12, '0')}`,
    key: newKey(),
  }));
  for (const records of [
    openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }),
    await openPostgresRecords(postgresUrl, { admissionsAtOnce: 1, patienceMs: 5000 }),
  ]) {
    for (const { workspaceId, key } of made) await register(records, workspaceId, key);
    await records.close();
  }
  const store = directoryStore(storeUrl);
  for (const { workspaceId } of made.slice(0, workspaces)) {
    await publishSnapshot(store, benchPublication(workspaceId, [{ brand, prompts: body }]));
  }
  await writeFile(join(folder, 'keys'), made.map(({ key }) => `${key}\n`).join(''));
  await writeFile(join(folder, 'body.json'), body);
  return {
    folder,
    storeUrl,
    sqliteUrl,
    postgresUrl,
    postgres,
    path: `/api/v1/brands/${brand.id}/prompts`,
    body,
    dispose: () => postgres.stop(),
  };
}

export async function register(records: Records, workspaceId: string, key: string): Promise<void> {
  await records.setWorkspace({
    id: workspaceId,
    name: 'Bench',
    plan: 'enterprise',
    requestsPerMinute: MOST_REQUESTS_PER_MINUTE,
  });
  await records.createKey(workspaceId, storedForm(key), null);
}

/** A prompts document of 6 KB. */
export function promptsOf({ id, name, domain }: Brand): Buffer {
  for (let prompts = 1; ; prompts++) {
    const data = {
      brand: { id, name, domain },
      prompts: Array.from({ length: prompts }, (_, n) => ({
        id: `7d6f3f3e-8d5b-4a0e-9d57-${String(n).padStart(12, '0')}`,
        text: `Which tool number ${n * 7919} would you recommend to a company of ${n + 3} people, and why?`,
        isActive: n % 5 !== 0,
        createdAt,
      })),
    };
    const encoded = encodeDocument('prompts', data);
    if (encoded.length >= BODY_BYTES) return encoded;
  }
}

/** A snapshot with the brands of a workspace and the prompts of each. */
export function benchPublication(
  workspaceId: string,
  brands: readonly { brand: ReturnType<typeof benchBrand>; prompts: Buffer }[],
): Publication {
  return {
    workspaceId,
    asOf: '2026-11-16T06:00:00.000Z',
    methodologyVersion: '1.0',
    codeVersion: 'bench',
    duckdbVersion: 'none',
    inputs: [],
    documents: [
      {
        path: BRANDS_PATH,
        bytes: encodeDocument(
          'brands',
          brands.map(({ brand }) => brand),
        ),
      },
      ...brands.map(({ brand, prompts }) => ({ path: documentPath(brand.id, 'prompts'), bytes: prompts })),
    ],
  };
}
