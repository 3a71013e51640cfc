import { Command } from 'commander';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readLedger } from '../../../../jobs/lake/ledger.ts';
import { computeWorkspaces } from '../../../../jobs/weekly/compute.ts';
import { openWeek } from '../../../../jobs/weekly/week.ts';
import { stateAsOf } from '../../../../jobs/weekly/inputs/state.ts';
import { inShard } from '../../../../jobs/weekly/shard.ts';
import type { Shard } from '../../../../jobs/weekly/shard.ts';
import { printTable } from '../../../../lib/cli.ts';
import { makeScratch } from '../../../../lib/files/scratch.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../../lib/store/store.ts';
import { whole } from '../gateway/options.ts';
import { makeLake } from './lake.ts';
import type { Size } from './lake.ts';

const AS_OF = parseInstant('2026-11-16T23:00:00Z')!;
/** What a shard may read of the run objects, in fair shares of their bytes. */
const MOST_SHARES = 1.3;

interface Options extends Size {
  shards: number;
}

/** `bench shards`: how much of a lake each shard of the weekly job fetches. */
export function shardsBench(): Command {
  return new Command('shards')
    .description(
      'Bytes of the lake that each shard fetches on its first run: its run objects, and tracking whole.',
    )
    .option('--brands <n>', 'brands of the lake', whole, 20_000)
    .option(
      '--prompts <n>',
      'prompts of each brand; with fewer, run objects are smaller, and as many',
      whole,
      2,
    )
    .option('--shards <n>', 'shards', whole, 10)
    .action(run);
}

async function run({ shards, ...size }: Options): Promise<void> {
  await using scratch = await makeScratch('bench-shards');
  const lake = directoryStore(join(scratch.path, 'lake'));
  await makeLake(lake, size, scratch.path);
  const all = sumsOf((await objectsOf(lake)).map(({ key, bytes }) => [key, bytes]));
  const rows = [{ shard: 'all', ...all, shares: shards }];
  for (let index = 1; index <= shards; index++) {
    const fetched = sumsOf(await fetchedBy(lake, { index, count: shards }));
    const shares = Number(((shards * fetched.runs) / all.runs).toFixed(2));
    rows.push({ shard: `${index}/${shards}`, ...fetched, shares });
  }
  printTable(rows);
  const most = Math.max(...rows.slice(1).map(({ shares }) => shares));
  process.stdout.write(`\nat most ${most} shares of the run objects; objective: ${MOST_SHARES}\n`);
  if (most > MOST_SHARES) process.exitCode = 1;
}

async function objectsOf(lake: ObjectStore) {
  return (await Array.fromAsync(lake.list(''))).filter(({ key }) => !key.startsWith('deliveries/'));
}

/** The objects that a shard asks for, each once, with their bytes. From S3 each would be fetched. */
async function fetchedBy(lake: ObjectStore, shard: Shard): Promise<Map<string, number>> {
  const fetched = new Map<string, number>();
  const counting: ObjectStore = {
    ...lake,
    async localFile(key, folder) {
      const path = await lake.localFile(key, folder);
      if (path !== null) fetched.set(key, statSync(path).size);
      return path;
    },
  };
  const state = stateAsOf(lake, await readLedger(lake), AS_OF);
  await using week = await openWeek({ lake: counting, state, asOf: AS_OF });
  const workspaces = [...week.tracked.keys()].filter((id) => inShard(id, shard));
  await computeWorkspaces(week, workspaces);
  return fetched;
}

type Sums = { runs: number; runBrands: number; tracking: number };

function sumsOf(objects: Iterable<[string, number]>): Sums {
  const sums = { runs: 0, runBrands: 0, tracking: 0 };
  for (const [key, bytes] of objects) {
    if (key.startsWith('runs/')) sums.runs += bytes;
    else if (key.startsWith('run-brands/')) sums.runBrands += bytes;
    else if (key.startsWith('tracking/')) sums.tracking += bytes;
  }
  return sums;
}
