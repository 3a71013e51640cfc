import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { describeUnlessMissing } from '../../support/requires.ts';
import { publicationOf } from '../publication.ts';
import { expectExplained, wholeChain, wholeSnapshot } from './whole.ts';

const [old, next] = [publicationOf(1), publicationOf(2)];

test('a disk that is full from any step on leaves the old snapshot, and a re-run completes', async () => {
  const folder = await temporaryFolder();
  let failed = true;
  for (let full = 1; failed; full += 1) {
    const store = directoryStore(join(folder, String(full)));
    await publishSnapshot(store, old);
    const out = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const filling = interposedStore(store, {
      before({ number, method }) {
        if (number >= full && method !== 'get') throw out;
      },
    });
    failed = await publishSnapshot(filling, next).then(
      () => false,
      (error: unknown) => error === out,
    );
    expect([old.asOf, next.asOf]).toContain(await wholeSnapshot(store));
    await expectExplained(store);
    await publishSnapshot(store, next);
    expect(await wholeChain(store)).toEqual([next.asOf, old.asOf]);
    await expectExplained(store);
  }
});

const PAGE = 4096;

/** A file system of 64 pages in memory. */
async function smallDisk(): Promise<string> {
  const folder = await temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${64 * PAGE}`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', [folder]));
  return folder;
}

const missing = process.getuid?.() === 0 ? [] : ['the rights of root'];
describeUnlessMissing(missing, 'be root', 'a file system in memory', () => {
  test('that is full, whatever was left free, leaves the old snapshot, and a re-run completes', async () => {
    const disk = await smallDisk();
    const filler = join(disk, 'filler');
    let failures = 0;
    for (let pages = 0, failed = true; failed; pages += 1) {
      const folder = join(disk, 'store');
      const store = directoryStore(folder);
      await publishSnapshot(store, old);
      const { bavail } = await statfs(disk);
      await writeFile(filler, Buffer.alloc((bavail - pages) * PAGE));
      const outcome: unknown = await publishSnapshot(store, next).catch((error: unknown) => error);
      failed = outcome instanceof Failure;
      if (failed) failures += 1;
      expect(String(outcome)).toMatch(failed ? /cannot be written: ENOSPC/ : /object/);
      expect([old.asOf, next.asOf]).toContain(await wholeSnapshot(store));
      await expectExplained(store);
      await rm(filler);
      await publishSnapshot(store, next);
      expect(await wholeChain(store)).toEqual([next.asOf, old.asOf]);
      await expectExplained(store);
      await rm(folder, { recursive: true });
    }
    expect(failures).toBeGreaterThan(5);
  });
});
