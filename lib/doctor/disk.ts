import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { reasonOf } from '../failure.ts';
import { failure, ok, skipped, warning } from './finding.ts';
import type { Finding } from './finding.ts';

const GB = 1e9;
/** A week of a large workspace has not been seen to need more. */
const COMFORTABLE_BYTES = GB;
const NEEDED_BYTES = GB / 10;

/** How much room a folder has, or the nearest one above it that is there. */
export async function findRoom(subject: string, folder: string): Promise<Finding> {
  const existing = await nearest(resolve(folder));
  const { bavail, bsize, blocks } = await statfs(existing);
  const free = bavail * bsize;
  const found = `${(free / GB).toFixed(1)} of ${((blocks * bsize) / GB).toFixed(1)} GB free at ${existing}`;
  const remedy = `make room at ${existing}; "npm run audit -- prune" removes old snapshots`;
  if (free < NEEDED_BYTES) return failure(subject, found, remedy);
  return free < COMFORTABLE_BYTES ? warning(subject, found, remedy) : ok(subject, found);
}

async function nearest(path: string): Promise<string> {
  if ((await stat(path).catch(() => null)) !== null) return path;
  return dirname(path) === path ? path : await nearest(dirname(path));
}

/** Whether this user may write what is at a path; `who` needs to. */
export async function findWritable(subject: string, path: string, who: string): Promise<Finding> {
  if ((await stat(path).catch(() => null)) === null) return skipped(subject, `${path} is not there yet`);
  try {
    await access(path, constants.W_OK);
    return ok(subject, `${path} can be written by this user`);
  } catch (error) {
    return warning(
      subject,
      `${path} cannot be written by this user: ${reasonOf(error)}`,
      `${who} would fail as this user: run it as the owner of ${path}, or change the owner`,
    );
  }
}
