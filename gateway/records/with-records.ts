import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { openRecords } from './open.ts';
import type { Records } from './records.ts';

/** A command can afford to wait for a busy gateway. */
const BUSY_TIMEOUT_MS = 5000;

/** Opens the records that `RECORDS_URL` names for the length of one command. */
export async function withRecords(work: (records: Records) => Promise<void>): Promise<void> {
  const { RECORDS_URL } = readConfig();
  const records = await openRecords(RECORDS_URL, { clock: systemClock, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    await work(records);
  } finally {
    await records.close();
  }
}
