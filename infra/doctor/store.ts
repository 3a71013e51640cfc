import { systemClock } from '../../lib/clock.ts';
import type { Config } from '../../lib/config.ts';
import { judgeClock } from './clock.ts';
import { findRoom, findWritable } from './disk.ts';
import { examine, formatOf, ok, skipped } from './finding.ts';
import type { Finding } from './finding.ts';
import { s3Remedy } from './s3-remedy.ts';
import type { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

const FOLDER =
  'correct STORE_URL; a store that was lost is restored (docs/procedures.md, Restore), and a new one is made by "npm run job -- weekly"';
const PRUNE = '"npm run audit -- prune" removes old snapshots; or move the store to a larger disk';

/** Checks that the store responds, then its disk, or its S3 server. */
export async function examineStore(
  store: ObjectStore,
  config: Config,
  probeWrites: boolean,
): Promise<Finding[]> {
  const { STORE_URL: location } = config;
  const remedy = (thrown: Failure) => (location.kind === 's3' ? s3Remedy('STORE_URL', thrown) : FOLDER);
  const reached = await examine('store', remedy, async () => {
    await store.check();
    return [ok('store', store.url), ...(store.time === undefined ? [] : [await findClock(store)])];
  });
  if (location.kind === 'directory') {
    const writable = await findWritable('store: writable', location.path, 'a job that publishes');
    return [...reached, formatOf('store'), writable, await findRoom('store: disk', location.path, PRUNE)];
  }
  if (reached[0]!.state === 'failure') return reached;
  return [...reached, formatOf('store'), ...(await examineWrites(store, probeWrites))];
}

async function findClock(store: ObjectStore): Promise<Finding> {
  const before = systemClock.now();
  const theirs = await store.time!();
  if (theirs === null) return skipped('store: clock', 'the server does not send its time');
  const reading = { theirs, before, after: systemClock.now(), stepMs: 1000 };
  return judgeClock('store: clock', 'the S3 server', reading);
}

async function examineWrites(store: ObjectStore, probeWrites: boolean): Promise<Finding[]> {
  const subject = 'store: conditional writes';
  if (!probeWrites) return [skipped(subject, 'not tried; --probe-writes tries them, and so does every job')];
  const remedy = 'use a server that supports them, and a user who may write (docs/decisions/0005-s3.md)';
  return await examine(subject, remedy, async () => {
    await store.probe!();
    return ok(subject, 'If-None-Match and If-Match work');
  });
}
