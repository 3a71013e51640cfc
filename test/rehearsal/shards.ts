import { onTestFinished } from 'vitest';
import { inShard } from '../../jobs/weekly/shard.ts';
import { faultProxy } from '../support/fault-proxy.ts';
import { startJob } from './jobs.ts';
import type { Job } from './jobs.ts';
import { thisWeek } from './stage.ts';
import type { Stage } from './stage.ts';

const SHARDS = 4;
const DIES_AT_WRITE = 12;

export interface Shards {
  /** Rejects once the one that has to die is dead. */
  doomed: Promise<unknown>;
  /** Runs that one again, and resolves when all have done their work. */
  complete(): Promise<void>;
}

/** Publishes this week in processes of their own, of which one is killed in the middle of its documents. */
export async function publishInShards(stage: Stage): Promise<Shards> {
  const { storeUrl, workspaceIds, jobSettings } = stage;
  const doomedIndex = largestShard(workspaceIds);
  let written = 0;
  const endpoint = stage.bucket.environment['S3_ENDPOINT']!;
  const proxy = await faultProxy(endpoint, (_number, { method, url }) => {
    if (method !== 'PUT' || !/\/store\/workspaces\/.*\/snapshots\//.test(url!)) return null;
    written += 1;
    if (written === DIES_AT_WRITE) jobs[doomedIndex - 1]!.child.kill('SIGKILL');
    return written < DIES_AT_WRITE ? null : 'lost';
  });
  onTestFinished(() => proxy.close());
  const start = (index: number, settings = jobSettings) =>
    startJob('jobs/cli.ts', [...stage.weekly(thisWeek, storeUrl), '--shard', `${index}/${SHARDS}`], settings);
  const jobs: Job[] = [];
  for (let index = 1; index <= SHARDS; index += 1) {
    const isDoomed = index === doomedIndex;
    jobs.push(isDoomed ? start(index, { ...jobSettings, S3_ENDPOINT: proxy.endpoint }) : start(index));
  }
  return {
    doomed: jobs[doomedIndex - 1]!.done,
    complete: async () => {
      jobs[doomedIndex - 1] = start(doomedIndex);
      await Promise.all(jobs.map(({ done }) => done));
    },
  };
}

/** The one with the most to write, so that it dies in the middle. */
function largestShard(workspaceIds: readonly string[]): number {
  const sizes = Array.from({ length: SHARDS }, (_, index) => {
    const shard = { index: index + 1, count: SHARDS };
    return workspaceIds.filter((id) => inShard(id, shard)).length;
  });
  return sizes.indexOf(Math.max(...sizes)) + 1;
}
