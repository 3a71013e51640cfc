/**
 * Makes the frozen store and lake again: `node test/frozen/write.ts`. Only a change of a format needs it. What readers of
 * them get (`answers`) stays as it is, and frozen.test.ts compares it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsIn, FROZEN, partOfSmall } from './commands.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sightline-frozen-'));
const { job } = commandsIn(FROZEN);

async function succeed(...args: string[]): Promise<void> {
  const { status, stderr } = await job(...args);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

for (const folder of ['store', 'lake']) await rm(join(FROZEN, folder), { recursive: true, force: true });
const first = await partOfSmall(scratch, 'first', /^(?!runs-late)/);
await succeed('ingest', '--from', first, '--date', '2026-11-01');
await succeed('weekly', '--as-of', '2026-11-09T06:00:00Z');
const late = await partOfSmall(scratch, 'late', /^runs-late/);
await succeed('ingest', '--from', late);
await succeed('weekly', '--as-of', '2026-11-16T06:00:00Z');
for (const folder of ['store', 'lake']) await rm(join(FROZEN, folder, '.lock.db'), { force: true });
await rm(scratch, { recursive: true });
