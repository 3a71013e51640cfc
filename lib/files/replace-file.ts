import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { Failure, reasonOf } from '../failure.ts';

/**
 * Writes a file, or replaces it in one step: a reader gets the old content or the new one, also after a power cut.
 * @throws Failure that names it if it cannot be written.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.tmp`; // in containers, two processes may have the same id
  try {
    const file = await open(unfinished, 'w', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw new Failure(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
