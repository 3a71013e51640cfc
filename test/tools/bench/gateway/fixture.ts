import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../lib/clock.ts';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { BRANDS_PATH, documentPath } from '../../../../snapshots/layout.ts';
import type { CommitParts } from '../../../../snapshots/log/write/commit.ts';
import type { SnapshotContent } from '../../../../snapshots/publish/write-snapshot.ts';
import { newKey, storedForm } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import type { Records } from '../../../../gateway/records/records.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../../../../gateway/records/records.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { benchLog, publishAll } from '../log.ts';
import type { TestPostgres } from '../../../support/postgres.ts';

/** The data and keys of all contenders. */
export interface Fixture {
  folder: string;
  storeUrl: string;
  publicKeyFile: string;
  /** The name of its log; absent: the usual one. */
  origin?: string;
  sqliteUrl: string;
  postgresUrl: string;
  postgres: TestPostgres;
  /** The requested path, and the expected bytes. */
  current: Asked;
  /** Null without a history. */
  past: Past | null;
  dispose(): Promise<void>;
}

export interface Asked {
  path: string;
  body: Buffer;
}

/** A store with a history. */
interface Past {
  storeUrl: string;
  publicKeyFile: string;
  origin: string;
  /** A document of the oldest week. */
  oldest: Asked;
}

type Brand = Record<'id' | 'name' | 'domain' | 'createdAt', string>;

/** The n-th of any number of brands. */
export function benchBrand(n: number): Brand {
  const id = `0b5ef0a4-3a6e-4f0f-9c57-${n.toString(16).padStart(12, '0')}`;
  return { id, name: `Acme ${n}`, domain: 'acme.example', createdAt };
}

const createdAt = '2026-01-05T09:30:00.000Z';
const BODY_BYTES = 6000;
const NEWEST = '2026-11-16T06:00:00.000Z';

/**
 * `keys` keys, distributed over `workspaces` with one brand each, the same for SQLite and PostgreSQL.
 * @param weeks of history in a second store; 0: no second store
 */
export async function makeFixture(
  folder: string,
  keys: number,
  workspaces: number,
  weeks = 0,
): Promise<Fixture> {
  const storeUrl = join(folder, 'store');
  const sqliteUrl = `sqlite:${join(folder, 'records.db')}`;
  const postgres = await startPostgres(true);
  const postgresUrl = await postgres.createDatabase();
  const brand = benchBrand(0);
  const body = promptsOf(brand);
  const made = Array.from({ length: keys }, (_, n) => ({
    workspaceId: `11111111-1111-4111-8111-${String(n % workspaces).padStart(12, '0')}`,
    key: newKey(),
  }));
  for (const records of [
    openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }),
    await openPostgresRecords(postgresUrl, { batchesAtOnce: 1, maxWaitMs: 5000 }),
  ]) {
    for (const { workspaceId, key } of made) await register(records, workspaceId, key);
    await records.close();
  }
  const workspaceIds = made.slice(0, workspaces).map(({ workspaceId }) => workspaceId);
  const log = await benchLog(folder);
  await publishWeek(log, workspaceIds, 0);
  await writeFile(join(folder, 'keys'), made.map(({ key }) => `${key}\n`).join(''));
  await writeFile(join(folder, 'body.json'), body);
  return {
    folder,
    storeUrl,
    publicKeyFile: log.publicKeyFile,
    sqliteUrl,
    postgresUrl,
    postgres,
    current: { path: `/api/v1/brands/${brand.id}/prompts`, body },
    past: weeks === 0 ? null : await makePast(join(folder, 'past'), workspaceIds, weeks),
    dispose: () => postgres.stop(),
  };
}

/** A week of every workspace, with unique documents. @param age in weeks; 0: the same as without a history */
async function publishWeek(log: CommitParts, workspaceIds: readonly string[], age: number): Promise<string> {
  const brand = benchBrand(0);
  const prompts = promptsOf(brand, age);
  const asOf = new Date(Date.parse(NEWEST) - age * 7 * 86_400_000).toISOString();
  const contents = workspaceIds.map((id) => ({ ...benchPublication(id, [{ brand, prompts }]), asOf }));
  return (await publishAll(log, contents)).at(-1)!;
}

/** The newest week is that of the store without a history. */
async function makePast(folder: string, workspaceIds: readonly string[], weeks: number): Promise<Past> {
  // Gateways of one database remember one log of each name.
  const origin = 'sightline.local/history';
  const { publicKeyFile, ...usual } = await benchLog(folder);
  const log = { ...usual, origin };
  const oldest = await publishWeek(log, workspaceIds, weeks - 1);
  for (let age = weeks - 2; age >= 0; age--) await publishWeek(log, workspaceIds, age);
  const brand = benchBrand(0);
  const path = `/api/v1/snapshots/${oldest}/brands/${brand.id}/prompts`;
  return {
    storeUrl: log.store.url,
    publicKeyFile,
    origin,
    oldest: { path, body: promptsOf(brand, weeks - 1) },
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

/** A prompts document of 6 KB, different for each week. */
export function promptsOf({ id, name, domain }: Brand, age = 0): Buffer {
  for (let prompts = 1; ; prompts++) {
    const data = {
      brand: { id, name, domain },
      prompts: Array.from({ length: prompts }, (_, n) => ({
        id: `7d6f3f3e-8d5b-4a0e-9d57-${String(n).padStart(12, '0')}`,
        text: `Which tool number ${n * 7919} would you recommend to a company of ${n + 3 + age} people, and why?`,
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

/** A snapshot with the brands of a workspace and the prompts of each. */
export function benchPublication(
  workspaceId: string,
  brands: readonly { brand: ReturnType<typeof benchBrand>; prompts: Buffer }[],
): SnapshotContent {
  return {
    workspaceId,
    asOf: NEWEST,
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
