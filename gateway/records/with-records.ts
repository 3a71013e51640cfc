import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { openRecords } from './open.ts';
import type { Records } from './records.ts';

/** A command can afford to wait for a busy gateway. */
const PATIENCE_MS = 5000;

/** Opens the records that `RECORDS_URL` names for the length of one command. */
export async function withRecords(work: (records: Records) => Promise<void>): Promise<void> {
  const { RECORDS_URL: location } = readConfig();
  const records = await openRecords(location, {
    clock: systemClock,
    patienceMs: PATIENCE_MS,
    batchesAtOnce: 1,
  });
  try {
    await work(records);
  } finally {
    await records.close();
  }
}
