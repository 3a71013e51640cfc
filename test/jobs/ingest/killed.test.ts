/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { objectsOf, readLedger } from '../../../jobs/lake/ledger.ts';
import { sha256 } from '../../../lib/hash.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { dyingAfter } from '../../support/interposed-store.ts';
import { runId, sound, tracked, writeDrop } from '../records.ts';

/** The sources of all deliveries, after a check that every object that they name is there and as they say. */
async function delivered(lake: ObjectStore, scratch: string) {
  const ledger = await readLedger(lake);
  for (const { key, sha256: expected, bytes } of ledger.flatMap(objectsOf)) {
    const content = await readFile((await lake.localFile(key, scratch))!);
    expect([content.length, sha256(content)]).toEqual([bytes, expected]);
  }
  return ledger.map(({ number, sources }) => ({ number, sources }));
}

test('an ingest that is killed after any of its changes has taken all of the drop or nothing, and a re-run completes', async () => {
  const folder = await temporaryFolder();
  // Two cycles and a record that is refused, so that every kind of object is written.
  const cycles = [
    { id: runId(1), cycle_date: '2026-11-02' },
    { id: runId(2) },
    { id: runId(3), engine: 'altavista' },
  ];
  const from = await writeDrop(join(folder, 'drop'), {
    'brands.ndjson': tracked['brands.ndjson'],
    'runs.ndjson': cycles.map(sound.runs),
  });
  const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };
  const take = async (lake: ObjectStore) =>
    await ingest({ from, lake, date: '2026-11-16', threads: 1 }, { clock });
  const undisturbed = directoryStore(join(folder, 'undisturbed'));
  await take(undisturbed);
  const expected = await delivered(undisturbed, folder);
  let deaths = 0;
  for (let died = true; died;) {
    const lake = directoryStore(join(folder, 'lakes', String(deaths)));
    died = await take(dyingAfter(deaths + 1, lake)).then(
      () => false,
      (error: unknown) => (error as Error).message === 'killed',
    );
    const left = await delivered(lake, folder);
    expect([[], expected]).toContainEqual(left);
    expect((await take(lake)).delivery).toBe(left.length === 0 ? 1 : null);
    expect(await delivered(lake, folder)).toEqual(expected);
    if (died) deaths += 1;
  }
  expect(deaths).toBeGreaterThan(5);
});
