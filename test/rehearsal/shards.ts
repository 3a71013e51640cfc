import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { inShard, shardFile } from '../../jobs/weekly/shard.ts';
import { faultProxy } from '../support/fault-proxy.ts';
import { startJob } from './jobs.ts';
import type { Ended, Job } from './jobs.ts';
import { thisWeek } from './stage.ts';
import type { Stage } from './stage.ts';

const SHARDS = 4;
const DIES_AT_WRITE = 12;

export interface Shard extends Ended {
  /** The file for node_exporter's textfile collector. */
  metrics: string;
}

export interface Shards {
  /** The outcome of the killed shard. */
  doomed: Promise<Ended>;
  /** Runs the killed shard again, and resolves when all have ended. */
  complete(): Promise<Shard[]>;
}

/** Publishes this week in one process per shard; one is killed while it writes its documents. */
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
  const metricsFile = join(stage.folder, 'weekly.prom');
  const fileOf = (index: number) => shardFile(metricsFile, { index, count: SHARDS });
  const start = (index: number, settings = jobSettings) => {
    const own = ['--shard', `${index}/${SHARDS}`, '--metrics-file', metricsFile];
    return startJob('jobs/cli.ts', [...stage.weekly(thisWeek, storeUrl), ...own], settings);
  };
  const jobs: Job[] = [];
  for (let index = 1; index <= SHARDS; index += 1) {
    const isDoomed = index === doomedIndex;
    jobs.push(isDoomed ? start(index, { ...jobSettings, S3_ENDPOINT: proxy.endpoint }) : start(index));
  }
  return {
    doomed: jobs[doomedIndex - 1]!.ended,
    complete: async () => {
      jobs[doomedIndex - 1] = start(doomedIndex);
      const ends = await Promise.all(jobs.map(({ ended }) => ended));
      const broken = ends.filter(({ printed }) => printed === null);
      if (broken.length > 0) throw new Error(broken.map(({ complaint }) => complaint).join('\n'));
      const metrics = await Promise.all(ends.map((_, index) => readFile(fileOf(index + 1), 'utf8')));
      return ends.map((end, index) => ({ ...end, metrics: metrics[index]! }));
    },
  };
}

/** The shard with the most documents, so that it is killed while writing. */
function largestShard(workspaceIds: readonly string[]): number {
  const sizes = Array.from({ length: SHARDS }, (_, index) => {
    const shard = { index: index + 1, count: SHARDS };
    return workspaceIds.filter((id) => inShard(id, shard)).length;
  });
  return sizes.indexOf(Math.max(...sizes)) + 1;
}
