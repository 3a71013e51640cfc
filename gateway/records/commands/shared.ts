import { InvalidArgumentError } from 'commander';
import { printTable } from '../../../lib/cli.ts';
import type { TableRow } from '../../../lib/cli.ts';
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
  });
  try {
    await work(records);
  } finally {
    await records.close();
  }
}

/** @throws InvalidArgumentError */
export function filled(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('expected some text.');
  return text.trim();
}

/** One record or several, as JSON or as a table. */
export function print<T>(records: T | T[], row: (record: T) => TableRow, json: true | undefined): void {
  if (json) printJson(records);
  else printTable((Array.isArray(records) ? records : [records]).map(row));
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a note for people on stderr, so that stdout contains results only. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
