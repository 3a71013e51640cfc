/** @module-tag long */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readLedger } from '../../../jobs/lake/ledger.ts';
import { removeWorkspace } from '../../../jobs/remove/remove.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { diesByItself } from '../../support/program.ts';
import { testLake } from '../lake.ts';
import { deliverWeek, objectsIn, removed } from './customers.ts';

const program = fileURLToPath(new URL('./remove.program.ts', import.meta.url));
const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };

const remove = async (lake: string) =>
  await removeWorkspace(
    { lake: directoryStore(lake), workspaceId: removed, isDryRun: false, threads: 1 },
    { clock },
  );

test('a removal that is killed after any change, and run again, ends with the same lake', async () => {
  const given = await testLake();
  await deliverWeek(given);
  const copy = async (name: string) => {
    const lake = join(given.folder, 'lakes', name);
    await cp(given.lake, lake, { recursive: true });
    return lake;
  };
  const undisturbed = await copy('undisturbed');
  await remove(undisturbed);
  const expected = await objectsIn(undisturbed);
  // If something was left, the second removal has an entry too, which replaces nothing.
  const third = 'deliveries/00000003.json';
  let steps = 0;
  for (let n = 1, died = true; died; n += 1) {
    const lake = await copy(String(n));
    died = await diesByItself(program, [lake, removed, String(n)], given.folder);
    const entries = await readLedger(directoryStore(lake));
    expect([1, 2]).toContain(entries.length);
    await remove(lake);
    const objects = await objectsIn(lake);
    const hasThird = objects.delete(third);
    const second = (await readLedger(directoryStore(lake)))[2]?.removal;
    expect(second?.replaced).toEqual(hasThird ? [] : undefined);
    expect(hasThird && !died).toBe(false);
    expect(objects).toEqual(expected);
    if (died) steps += 1;
  }
  expect(steps).toBeGreaterThan(15);
}, 120_000);
