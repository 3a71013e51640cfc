import { Command } from 'commander';
import { printTable } from '../../../../lib/cli.ts';
import { makeScratch } from '../../../../lib/files/scratch.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { hasS3Server, makeBucket } from '../../../support/s3-server.ts';
import { whole } from '../gateway/options.ts';
import { slowStore } from './slow-store.ts';
import { measureStore } from './measure.ts';
import type { Row, Size } from './measure.ts';

interface Options extends Size {
  s3: boolean;
  json: boolean;
}

/** Milliseconds of one read of a distant bucket. */
const READ_MS = 20;

/** `bench store`: what publishing to the log and following it cost. */
export function storeBench(): Command {
  return new Command('store')
    .description(
      'The log at size: a commit of all workspaces, a cold start, refreshes of a gateway with nothing new, and a new week until it is served everywhere.',
    )
    .option('--workspaces <n>', 'workspaces of the store', whole, 10_000)
    .option('--brands <n>', 'brands of each workspace', whole, 30)
    .option('--no-s3', 'skip the refresh of an S3 server, which needs one on this machine')
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run({ s3, json, ...size }: Options): Promise<void> {
  await using scratch = await makeScratch('bench-store');
  const rows: Row[] = [];
  for (const workspaces of [1, Math.min(1000, size.workspaces)]) {
    const folder = directoryStore(`${scratch.path}/${workspaces}`);
    rows.push(...(await measureStore(scratch.path, 'folder', folder, { workspaces, brands: 1 })));
  }
  if (s3 && hasS3Server()) {
    const bucket = await makeBucket({ isPublic: true });
    rows.push(...(await measureStore(scratch.path, 'S3', bucket.store(), { workspaces: 100, brands: 1 })));
    await bucket.remove();
  }
  const slow = slowStore(READ_MS);
  rows.push(...(await measureStore(scratch.path, `memory, ${READ_MS} ms a read`, slow, size)));
  if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else printTable(rows);
}
