import { join } from 'node:path';
import { runJob } from './jobs.ts';
import type { Stage } from './stage.ts';

interface Verified {
  isIntact: boolean;
  checked: { snapshots: number };
}

/** The nightly work of an operator's timer: verify with the checkpoint of the night before. */
export async function spendNight(stage: Stage): Promise<Verified> {
  const verify = ['verify', '--store', stage.storeUrl, '--state', join(stage.folder, 'seen')];
  return (await runJob('snapshots/cli.ts', verify, stage.auditSettings)) as Verified;
}
