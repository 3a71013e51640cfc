import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runHere } from '../adapters/deliver.ts';

/** The store, the lake and the key pair that are kept as data. */
export const FROZEN = import.meta.dirname;
export const ORIGIN = 'frozen.example/log';

/** The commands on a store and a lake below a folder, with the frozen key. */
export function commandsIn(root: string) {
  const settings = {
    LAKE_URL: join(root, 'lake'),
    STORE_URL: join(root, 'store'),
    LOG_ORIGIN: ORIGIN,
    SIGNING_KEY_FILE: join(FROZEN, 'key.private.pem'),
    PUBLIC_KEY_FILE: join(FROZEN, 'key.public.pem'),
  };
  const run = async (program: 'job' | 'audit', ...args: string[]) =>
    await runHere(program, args, { settings });
  return {
    settings,
    job: async (...args: string[]) => await run('job', ...args),
    audit: async (...args: string[]) => await run('audit', ...args),
  };
}

/** Copies the files of the golden case `small` that a pattern matches. @returns the folder of this drop */
export async function partOfSmall(root: string, name: string, pattern: RegExp): Promise<string> {
  const [from, to] = [join(FROZEN, '../golden/small/drop'), join(root, name)];
  await mkdir(to, { recursive: true });
  for (const file of await readdir(from)) if (pattern.test(file)) await cp(join(from, file), join(to, file));
  return to;
}
