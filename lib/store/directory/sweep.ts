import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTemporary } from './files.ts';

const DAY_MS = 86_400_000;

/**
 * Removes temporary files of killed writers from a folder, at the first call for that folder. They must be at least a
 * day old: no write takes that long. Files that cannot be removed stay; readers do not see them.
 */
export function sweeper(): (folder: string) => Promise<void> {
  const swept = new Set<string>();
  return async (folder) => {
    if (swept.has(folder)) return;
    swept.add(folder);
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter(isTemporary)) {
      await removeIfOld(join(folder, name)).catch(() => undefined);
    }
  };
}

async function removeIfOld(path: string): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (mtimeMs < Date.now() - DAY_MS) await rm(path, { recursive: true, force: true });
}
