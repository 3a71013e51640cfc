import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new, empty folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/**
 * Returns a function that makes folders for `beforeAll`; they are removed after the last test of the file. Call it
 * outside of hooks: an `afterAll` that a hook registers never runs.
 */
export function temporaryFolders(): () => Promise<string> {
  const folders: string[] = [];
  afterAll(async () => void (await Promise.all(folders.map(removeFolder))));
  return async () => {
    const folder = await makeFolder();
    folders.push(folder);
    return folder;
  };
}

/** Named otherwise than the scratch folders of jobs, which every job looks at: killed runs left a thousand of these. */
async function makeFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'sightline-of-tests-'));
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
