import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResponseStore, StoredResponse } from './store.ts';

/**
 * Stores each response as a JSON file in a folder, which it creates if missing. Several programs can share the folder. A
 * file that cannot be parsed is ignored. Responses contain the workspace's data, so only their owner can read the files.
 * No file is ever removed; you can delete the folder at any time.
 */
export function fileStore(folder: string): ResponseStore {
  const fileOf = (url: string): string =>
    join(folder, `${createHash('sha256').update(url).digest('hex')}.json`);
  return {
    async get(url) {
      return parse(await readFile(fileOf(url), 'utf8').catch(emptyIfMissing));
    },
    async set(url, { etag, body, lastModified }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(url);
      // A unique name, then a rename: no reader or other writer sees a partial file.
      const partial = `${file}.${randomUUID()}`;
      try {
        await writeFile(partial, JSON.stringify({ url, etag, body, lastModified }), { mode: 0o600 });
        await rename(partial, file);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
  };
}

function emptyIfMissing(error: unknown): string {
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
