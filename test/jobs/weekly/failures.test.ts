/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkClock } from '../../../jobs/weekly/checks/clock.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { runHere } from '../../support/command-line.ts';
import { describeUnlessMissing } from '../../support/requires.ts';
import { missingForSmallDisk, PAGE, smallDisk } from '../../support/small-disk.ts';
import { logOf, settingsOf } from '../jobs.ts';
import { AS_OF, testLake } from '../lake.ts';
import { idOf, ids, sound, tracked } from '../records.ts';

const other = idOf('a', 2);

/** A lake with two workspaces, one of which has a brand. */
async function setUp() {
  const { folder, lake, ingested } = await testLake();
  await ingested({ ...tracked, 'workspaces.ndjson': [sound.workspaces(), sound.workspaces({ id: other })] });
  return { folder, lake };
}

test('a run that is aborted throws, after all that it started has ended', async () => {
  const { folder, lake } = await setUp();
  const log = logOf(join(folder, 'store'));
  const events: string[] = [];
  const stop = new AbortController();
  const createMany: ObjectStore['createMany'] = async (entries) => {
    events.push('starts');
    stop.abort(new Error('the lease was lost'));
    const created = await log.store.createMany(entries);
    events.push('written');
    return created;
  };
  const places = { lake: directoryStore(lake), ...log, store: { ...log.store, createMany } };
  const ended = weekly({ ...places, asOf: parseInstant(AS_OF)!, threads: 1, signal: stop.signal });
  await expect(ended).rejects.toThrow('the lease was lost');
  const count = (event: string) => events.filter((each) => each === event).length;
  expect(count('written')).toBe(count('starts'));
  expect(events.length).toBeGreaterThan(0);
});

const store = { ...memoryStore(new Map()), time: async () => 1_000_000 };

const check = async (ahead: number) => await checkClock(store, { now: () => 1_000_000 + ahead });

test.each([
  [61_000, 'clock is 60 s ahead of that of memory: nothing was published'],
  [-60_000, 'clock is 60 s behind that of memory: nothing was published'],
])(
  'a clock that is %d ms ahead of that of the store, which shows whole seconds, is refused, one a millisecond nearer is not',
  async (ms, message) => {
    await expect(check(ms)).rejects.toThrow(message);
    await check(ms - Math.sign(ms));
  },
);

describeUnlessMissing(missingForSmallDisk, 'be root', 'a full disk', () => {
  test('of the store is one line, however many workspaces cannot be written', async () => {
    const { folder, lake } = await setUp();
    const disk = await smallDisk(80);
    const full = join(disk, 'store');
    await writeFile(join(disk, 'filler'), Buffer.alloc(78 * PAGE));
    const settings = { ...settingsOf(join(folder, 'store')), LAKE_URL: lake, STORE_URL: full };
    const ended = await runHere('job', ['weekly', '--as-of', AS_OF], { settings });
    const message = `${full} cannot be written: its disk is full`;
    expect(ended).toMatchObject({
      status: 3,
      stderr: `sightline: 2 of 2 workspaces were not published: ${ids.workspace}, ${other}: ${message}\n`,
    });
    expect(ended.stdout.split(message)).toHaveLength(2);
    expect(ended.stdout).toMatch(new RegExp(`^${ids.workspace} and 1 more +failed +`, 'm'));
  });
});
