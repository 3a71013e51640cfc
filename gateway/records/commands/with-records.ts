import { systemClock } from '../../../lib/clock.ts';
import { readConfig } from '../../../lib/config.ts';
import { openRecords } from '../open.ts';
import { COMMAND_MAX_WAIT_MS } from '../records.ts';
import type { Records } from '../records.ts';

/**
 * Runs one command with the records that `RECORDS_URL` names, and closes them.
 * @param purpose `create` if the command may create or migrate them
 */
export async function withRecords(
  purpose: 'create' | 'manage',
  work: (records: Records) => Promise<void>,
): Promise<void> {
  const { RECORDS_URL: location } = readConfig();
  const records = await openRecords(location, {
    purpose,
    clock: systemClock,
    maxWaitMs: COMMAND_MAX_WAIT_MS,
    batchesAtOnce: 1,
  });
  try {
    await work(records);
  } finally {
    await records.close();
  }
}
