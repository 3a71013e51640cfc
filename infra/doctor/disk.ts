import type { StatsFs } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { reasonOf } from '../../lib/failure.ts';
import { failure, ok, skipped, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { installedHere } from './installed/place.ts';

const MB = 1e6;
const GB = 1e9;
/** No measured week of a large workspace needed more. */
const COMFORTABLE_BYTES = GB;
const NEEDED_BYTES = GB / 10;

/**
 * Checks the free space of a folder, or of its nearest existing parent: a warning below 1 GB, a failure below 0.1 GB.
 * @param how what frees space there, or replaces the disk; it follows "make room at PATH"
 */
export async function findRoom(subject: string, folder: string, how: string): Promise<Finding> {
  const existing = await nearest(resolve(folder));
  return judgeRoom(subject, existing, await statfs(existing), how);
}

/** Judges what `statfs` says of a path. */
export function judgeRoom(
  subject: string,
  path: string,
  { bavail, bsize, blocks }: Pick<StatsFs, 'bavail' | 'bsize' | 'blocks'>,
  how: string,
): Finding {
  const free = bavail * bsize;
  const found = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} free at ${path}`;
  const remedy = `make room at ${path}: ${how}`;
  if (free < NEEDED_BYTES) return failure(subject, found, remedy);
  return free < COMFORTABLE_BYTES ? warning(subject, found, remedy) : ok(subject, found);
}

export function formatBytes(bytes: number): string {
  return bytes < GB ? `${Math.round(bytes / MB)} MB` : `${(bytes / GB).toFixed(1)} GB`;
}

async function nearest(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found === null ? await nearest(dirname(path)) : path;
}

/**
 * Checks whether this user may write to a path. On an installed machine that says nothing: root may, and the users of
 * the units are checked instead.
 * @param who the program that needs to, for the message
 */
export async function findWritable(subject: string, path: string, who: string): Promise<Finding> {
  if (installedHere() !== null) return skipped(subject, 'checked for the users of the units, see "access"');
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
