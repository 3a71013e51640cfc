import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../lib/clock.ts';
import { sha256 } from '../../../../lib/hash.ts';
import { newKey } from '../../../../gateway/records/keys.ts';
import { prepareDocument } from '../../../../gateway/http/prepared-document.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { benchLog, publishAll } from '../log.ts';
import { benchBrand, benchPublication, promptsOf, register } from './fixture.ts';

/** A store whose documents, all different, just fill the cache of a gateway. */
export interface FilledStore {
  storeUrl: string;
  publicKeyFile: string;
  sqliteUrl: string;
  asks: { key: string; path: string }[];
  /** The path of a file with one key and path per line. */
  asksFile: string;
  first: { key: string; path: string; body: Buffer };
}

const CACHE_BYTES = 64 * 1024 * 1024;
const WORKSPACES = 20;

export async function fillStore(folder: string): Promise<FilledStore> {
  const sample = bodyOf(0);
  const { bytes } = await prepareDocument(sample, sha256(sample));
  const brandsPerWorkspace = Math.floor((CACHE_BYTES * 0.98) / bytes / WORKSPACES);
  const storeUrl = join(folder, 'store');
  const log = await benchLog(folder);
  const records = openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
  const asks: FilledStore['asks'] = [];
  for (let workspace = 0; workspace < WORKSPACES; workspace++) {
    const workspaceId = `11111111-1111-4111-8111-${String(workspace).padStart(12, '0')}`;
    const key = newKey();
    await register(records, workspaceId, key);
    const numbers = Array.from({ length: brandsPerWorkspace }, (_, n) => workspace * brandsPerWorkspace + n);
    const brands = numbers.map((n) => ({ brand: benchBrand(n), prompts: bodyOf(n) }));
    await publishAll(log, [benchPublication(workspaceId, brands)]);
    asks.push(...numbers.map((n) => ({ key, path: `/api/v1/brands/${benchBrand(n).id}/prompts` })));
  }
  await records.close();
  const asksFile = join(folder, 'asks');
  await writeFile(asksFile, asks.map(({ key, path }) => `${key} ${path}\n`).join(''));
  const sqliteUrl = `sqlite:${join(folder, 'records.db')}`;
  const { publicKeyFile } = log;
  return { storeUrl, publicKeyFile, sqliteUrl, asks, asksFile, first: { ...asks[0]!, body: sample } };
}

function bodyOf(n: number): Buffer {
  return promptsOf(benchBrand(n));
}
