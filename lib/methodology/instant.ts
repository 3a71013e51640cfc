import { orNull } from '../failure.ts';

/**
 * Instants as microseconds since the Unix epoch (bigint), the precision of every comparison
 * (methodology, Text, order, hosts).
 */
export type Micros = bigint;

export const MICROS_PER_DAY: Micros = 86_400_000_000n;

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Parses an RFC 3339 instant: seconds are required, up to 9 decimals (truncated to the microsecond), `Z` or an offset.
 * Returns null for anything else, including second 60, hour 24 and dates that do not exist.
 * `jobs/ingest/contract.sql` has the same rules for records; a property test compares the two.
 */
export function parseInstant(text: string): Micros | null {
  const instant = RFC_3339.test(text) ? orNull(() => Temporal.Instant.from(text)) : null;
  if (instant === null) return null;
  const { epochNanoseconds } = instant;
  const micros = epochNanoseconds / 1000n - (epochNanoseconds % 1000n < 0n ? 1n : 0n);
  return micros < EARLIEST || micros > LATEST ? null : micros;
}

// The years that RFC 3339 can express, after the offset is subtracted.
const EARLIEST = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1000n;
const LATEST = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1000n + 999n;

/** As published: UTC, truncated to milliseconds: `2026-01-05T09:30:00.000Z`. */
export function formatInstant(micros: Micros): string {
  return new Temporal.Instant(micros * 1000n).toString({ fractionalSecondDigits: 3 });
}

/** Without loss, UTC: with three decimals if they are exact, otherwise with six. */
export function formatInstantExactly(micros: Micros): string {
  const text = new Temporal.Instant(micros * 1000n).toString({ fractionalSecondDigits: 6 });
  return text.replace(/000Z$/, 'Z');
}

/** The UTC date of an instant, `YYYY-MM-DD`. */
export function utcDate(micros: Micros): string {
  return formatInstant(micros).slice(0, 10);
}

/** True for an existing day in the form `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== null;
}
