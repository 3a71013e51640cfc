import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new, empty folder that is removed after the test, or by the owner of the hook. */
export async function temporaryFolder(
  whenDone: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-test-'));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Returns a function that makes folders for `beforeAll`; they are removed after the last test of the file. Call it
 * outside of hooks: an `afterAll` that a hook registers never runs.
 */
export function temporaryFolders(): () => Promise<string> {
  const removals: (() => Promise<void>)[] = [];
  afterAll(async () => void (await Promise.all(removals.map((remove) => remove()))));
  return async () => await temporaryFolder((remove) => void removals.push(remove));
}
