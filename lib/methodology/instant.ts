/**
 * Instants as microseconds since the Unix epoch (bigint), the precision of every comparison
 * (methodology, Text, order, hosts).
 */
export type Micros = bigint;

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses an RFC 3339 instant: seconds are required, up to 9 decimals (truncated to the microsecond), `Z` or an offset.
 * Returns null for anything else, including second 60, hour 24 and dates that do not exist.
 * `jobs/ingest/contract.sql` has the same rules for records; a property test compares the two.
 */
export function parseInstant(text: string): Micros | null {
  const match = RFC_3339.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six;
  const [, , , , , , , fraction, sign, offsetHour, offsetMinute] = match;
  if (hour > 23 || minute > 59 || second > 59) return null;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC would read the years 0 to 99 as 1900 to 1999
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const local = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const utc = sign === '-' ? local + offset : local - offset;
  if (utc < EARLIEST || utc > LATEST) return null;
  return BigInt(utc) * 1000n + BigInt((fraction ?? '').padEnd(6, '0').slice(0, 6));
}

type Six = [number, number, number, number, number, number];

// The years that RFC 3339 can express, after the offset is subtracted.
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59Z') + 999;

/** As published: UTC, truncated to milliseconds: `2026-01-05T09:30:00.000Z`. */
export function formatInstant(micros: Micros): string {
  return new Date(Number(floorDivide(micros, 1000n))).toISOString();
}

/** Without loss, UTC: with three decimals if they are exact, otherwise with six. */
export function formatInstantExactly(micros: Micros): string {
  const beyond = micros - floorDivide(micros, 1000n) * 1000n;
  const text = formatInstant(micros);
  return beyond === 0n ? text : `${text.slice(0, -1)}${String(beyond).padStart(3, '0')}Z`;
}

/** The UTC date of an instant, `YYYY-MM-DD`. */
export function utcDate(micros: Micros): string {
  return formatInstant(micros).slice(0, 10);
}

/** True for an existing day in the form `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== null;
}

function floorDivide(a: bigint, b: bigint): bigint {
  return a / b - (a % b < 0n ? 1n : 0n);
}
