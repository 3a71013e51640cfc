import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';

export const PAGE = 4096;

/** A file system of so many pages in memory, until the test has finished. Only root can mount it. */
export async function smallDisk(pages: number): Promise<string> {
  const folder = await temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${pages * PAGE}`, 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', [folder]));
  return folder;
}

/** For {@link describeUnlessMissing}. */
export const missingForSmallDisk = process.getuid?.() === 0 ? [] : ['the rights of root'];
