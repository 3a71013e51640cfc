import { readFileSync } from 'node:fs';
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

/** What readers of the frozen store and lake get, whatever the formats are. The newest week is the golden case `small`. */
export const answers = {
  workspaceId: 'db5b5fab-8f4d-4e27-9da1-494c73cf256d',
  /** As of a week earlier, without the runs that were delivered late: what `test/reference` computes. */
  olderWeek: JSON.parse(readFileSync(new URL('older-week.json', import.meta.url), 'utf8')) as Record<
    string,
    Record<string, unknown>
  >,
  /** A run of the week after. */
  nextRun: {
    brand_id: '830c71c2-cdcc-4929-af45-e678309d6b79',
    prompt_id: '9f8558a6-2851-4867-a66b-0d389d95847e',
    engine: 'ai_overview',
    cycle_date: '2026-11-20',
    ran_at: '2026-11-20T06:00:00Z',
    mentions: [{ name: 'Oscorp', subject: 'brand', position: 1, sentiment: 'positive' }],
    citations: [],
  },
};
