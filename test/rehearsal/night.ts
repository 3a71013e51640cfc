import { join } from 'node:path';
import { runJob } from './jobs.ts';
import type { Stage } from './stage.ts';

interface Appended {
  added: number;
  size: number;
}

interface Verified {
  isIntact: boolean;
  checked: { snapshots: number };
}

/** The arguments for an append to the log. */
export function logAppend({ storeUrl, lakeUrl }: Stage): string[] {
  return ['log', 'append', '--store', storeUrl, '--lake', lakeUrl];
}

/** The nightly work of an operator's timer: append to the log, then verify with the state of the night before. */
export async function spendNight(stage: Stage): Promise<{ appended: Appended; verified: Verified }> {
  const append = await runJob('snapshots/cli.ts', logAppend(stage), stage.jobSettings);
  const state = join(stage.folder, 'seen.json');
  const verify = ['verify', '--store', stage.storeUrl, '--state', state];
  const verified = await runJob('snapshots/cli.ts', verify, stage.auditSettings);
  return { appended: append as Appended, verified: verified as Verified };
}
