import { computeWorkspaces } from '../../../../jobs/weekly/compute.ts';
import { openWeek } from '../../../../jobs/weekly/week.ts';
import { stateAsOf } from '../../../../jobs/weekly/inputs/state.ts';
import { readLedger } from '../../../../jobs/lake/ledger.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';

/** `LAKE AS_OF`: computes all documents of a week and publishes none. */
const [folder, instant] = process.argv.slice(2) as [string, string];
const lake = directoryStore(folder);
const asOf = parseInstant(instant)!;
await using week = await openWeek({ lake, state: stateAsOf(lake, await readLedger(lake), asOf), asOf });
const computed = await computeWorkspaces(week, [...week.tracked.keys()]);
for await (const result of computed.snapshots) if ('error' in result) throw result.error;
