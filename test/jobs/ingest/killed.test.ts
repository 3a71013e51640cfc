/** @module-tag long */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { objectsOf, readLedger } from '../../../jobs/lake/ledger.ts';
import type { Delivery } from '../../../jobs/lake/delivery.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { diesByItself } from '../../support/program.ts';
import { runId, sound, tracked, writeDrop } from '../records.ts';

const program = fileURLToPath(new URL('./ingest.program.ts', import.meta.url));
const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
const date = '2026-11-16';

/** Two cycles and a record that is refused, so that every kind of object is written. */
async function makeDrop(folder: string): Promise<string> {
  const runs = [
    sound.runs({ id: runId(1), cycle_date: '2026-11-02' }),
    sound.runs({ id: runId(2) }),
    sound.runs({ id: runId(3), engine: 'altavista' }),
  ];
  return await writeDrop(join(folder, 'drop'), { ...tracked, 'runs.ndjson': runs });
}

/** The deliveries, with every object that they name there and as they say. */
async function wholeLedger(lake: ObjectStore, scratch: string): Promise<Delivery[]> {
  const ledger = await readLedger(lake);
  for (const { key, sha256: expected, bytes } of ledger.flatMap(objectsOf)) {
    const content = await readFile((await lake.localFile(key, scratch))!);
    expect([content.length, sha256(content)]).toEqual([bytes, expected]);
  }
  return ledger;
}

const sourcesOf = (ledger: readonly Delivery[]) => ledger.map(({ number, sources }) => ({ number, sources }));

test('an ingest that is killed at any step has taken all of the drop or nothing, and a re-run completes', async () => {
  const folder = await temporaryFolder();
  const drop = await makeDrop(folder);
  const undisturbed = directoryStore(join(folder, 'undisturbed'));
  await ingest({ from: drop, lake: undisturbed, date }, { clock });
  const expected = sourcesOf(await readLedger(undisturbed));
  let steps = 0;
  // After each operation: what dies before the next one has left the same.
  for (let n = 1, died = true; died; n += 1) {
    const location = join(folder, 'lakes', String(n));
    const lake = directoryStore(location);
    const scratch = join(folder, 'scratch', String(n));
    await mkdir(scratch, { recursive: true });
    died = await diesByItself(program, [location, drop, String(n)], scratch);
    const left = sourcesOf(await wholeLedger(lake, scratch));
    expect([[], expected]).toContainEqual(left);
    const report = await ingest({ from: drop, lake, date }, { clock });
    expect(report.delivery).toBe(left.length === 0 ? 1 : null);
    expect(sourcesOf(await wholeLedger(lake, scratch))).toEqual(expected);
    if (died) steps += 1;
  }
  expect(steps).toBeGreaterThan(7);
});
