import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new, empty folder that is removed after the test, or by the owner of the hook. */
export async function temporaryFolder(
  whenDone: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-test-'));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
