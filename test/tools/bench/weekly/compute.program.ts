import { computeWorkspaces } from '../../../../jobs/weekly/compute.ts';
import { openWeek } from '../../../../jobs/weekly/week.ts';
import { stateAsOf } from '../../../../jobs/weekly/inputs/state.ts';
import { readLedger } from '../../../../jobs/lake/ledger.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';

/**
 * `LAKE AS_OF`: computes all documents of a week and publishes none. Prints the times of each step as JSON.
 * The steps do not overlap, so that CPU times can be attributed.
 */
const [folder, instant] = process.argv.slice(2) as [string, string];
const steps: Record<string, { seconds: number; cpuSeconds: number }> = {};
let current = 'start';
let [since, usage] = [0, { user: 0, system: 0 }];

function onStep(next: string): void {
  const [now, used] = [performance.now(), process.cpuUsage()];
  const step = (steps[current] ??= { seconds: 0, cpuSeconds: 0 });
  step.seconds += (now - since) / 1e3;
  step.cpuSeconds += (used.user + used.system - usage.user - usage.system) / 1e6;
  [current, since, usage] = [next, now, used];
}

const lake = directoryStore(folder);
const asOf = parseInstant(instant)!;
await using week = await openWeek({
  lake,
  state: stateAsOf(lake, await readLedger(lake), asOf),
  asOf,
  onStep,
});
const computed = await computeWorkspaces(week, [...week.tracked.keys()]);
for await (const result of computed.snapshots) if ('error' in result) throw result.error;
onStep('');
process.stdout.write(`${JSON.stringify(steps)}\n`);
