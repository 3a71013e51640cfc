import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeUnlessMissing } from '../../support/requires.ts';
import { missingForSmallDisk, PAGE, smallDisk } from '../../support/small-disk.ts';
import { contentOf } from '../content.ts';
import { publishSnapshot, testLog } from '../publish.ts';
import { wholeHistory, wholeSnapshot } from './whole.ts';

const [old, next] = [contentOf(1), contentOf(2)];

describeUnlessMissing(missingForSmallDisk, 'be root', 'a small disk', () => {
  test('that is full, whatever was left free, leaves the old snapshot, and a re-run completes', async () => {
    const disk = await smallDisk(80);
    const filler = join(disk, 'filler');
    const elsewhere = await testLog(await temporaryFolder());
    let failures = 0;
    for (let pages = 0, failed = true; failed; pages += 1) {
      const folders = [join(disk, 'store'), join(disk, 'lake')];
      const [store, lake] = folders.map(directoryStore);
      const log = { ...elsewhere, store: store!, lake: lake! };
      await publishSnapshot(log, old);
      const { bavail } = await statfs(disk);
      await writeFile(filler, Buffer.alloc((bavail - pages) * PAGE));
      const outcome: unknown = await publishSnapshot(log, next).catch((error: unknown) => error);
      failed = outcome instanceof Failure;
      if (failed) failures += 1;
      expect(String(outcome)).toMatch(failed ? /cannot be written: its disk is full/ : /object/);
      expect([old.asOf, next.asOf]).toContain(await wholeSnapshot(log));
      await rm(filler);
      await publishSnapshot(log, next);
      expect(await wholeHistory(log)).toEqual([old.asOf, next.asOf]);
      for (const folder of folders) await rm(folder, { recursive: true });
    }
    expect(failures).toBeGreaterThan(5);
  });
});
