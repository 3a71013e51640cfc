import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResponseStore, StoredResponse } from './store.ts';

/**
 * Keeps responses as files of a folder, which is made where it is missing: one JSON file for each address. Several
 * programs may use one folder at once. A damaged file is read as none. Responses contain the workspace's data, so
 * the files can be read by their owner only. No file is ever removed; the folder may be, at any time.
 */
export function fileStore(folder: string): ResponseStore {
  const fileOf = (url: string): string =>
    join(folder, `${createHash('sha256').update(url).digest('hex')}.json`);
  return {
    async get(url) {
      return parse(await readFile(fileOf(url), 'utf8').catch(noneWhereMissing));
    },
    async set(url, { etag, body }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(url);
      // A name of its own: a reader, or another writer, never sees half of it.
      const partial = `${file}.${randomUUID()}`;
      try {
        await writeFile(partial, JSON.stringify({ url, etag, body }), { mode: 0o600 });
        await rename(partial, file);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
  };
}

function noneWhereMissing(error: unknown): string {
  if ((error as { code?: string }).code === 'ENOENT') return '';
  throw error;
}

function parse(text: string): StoredResponse | undefined {
  try {
    const found = JSON.parse(text) as StoredResponse;
    return typeof found.etag === 'string' && typeof found.body === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
