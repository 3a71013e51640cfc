import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new, empty folder that goes when the test that asked for it is over, or when the hook's owner says so. */
export async function temporaryFolder(
  whenDone: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-test-'));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
