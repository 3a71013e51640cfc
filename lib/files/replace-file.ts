import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { Failure, reasonOf } from '../failure.ts';

/**
 * Writes a file, or replaces it in one step: a reader gets the old content or the new one, also after a power cut.
 * @throws Failure that names it if it cannot be written.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await replaceBy(
    path,
    async (unfinished) => await writeFile(unfinished, content, { flush: true, mode: 0o644 }),
  );
}

/**
 * As {@link replaceFile}, with a function that writes a file of another name in the same folder.
 * @param name of the file in a Failure
 */
export async function replaceBy(
  path: string,
  write: (unfinished: string) => Promise<void>,
  name = path,
): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.tmp`; // in containers, two processes may have the same id
  try {
    await write(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    // Fails too if the folder is a file.
    await rm(unfinished, { force: true }).catch(() => undefined);
    const reason = reasonOf(error).replaceAll(unfinished, path);
    throw new Failure(`${name} cannot be written: ${reason}`, { cause: error });
  }
}
