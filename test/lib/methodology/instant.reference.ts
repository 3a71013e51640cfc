/** A reference parser of instants, field by field, in whole numbers and without Date. */
export interface Spelling {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** 0 to 9 decimals. */
  fraction: string;
  /** `Z`, or the minutes that the local time is ahead of UTC. */
  offset: 'Z' | number;
}

export function spell(s: Spelling, t = 'T', z = 'Z'): string {
  const date = `${String(s.year).padStart(4, '0')}-${two(s.month)}-${two(s.day)}`;
  const time = `${two(s.hour)}:${two(s.minute)}:${two(s.second)}${s.fraction === '' ? '' : `.${s.fraction}`}`;
  return `${date}${t}${time}${s.offset === 'Z' ? z : spellOffset(s.offset)}`;
}

function spellOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

/** Microseconds since 1970, or null if the date does not exist or its year in UTC is not one of 1 to 9999. */
export function microsOf(s: Spelling): bigint | null {
  if (s.month < 1 || s.month > 12 || s.day < 1 || s.day > daysOf(s.year, s.month)) return null;
  const minutes = daysSince1970(s) * 1440 + s.hour * 60 + s.minute - (s.offset === 'Z' ? 0 : s.offset);
  const seconds = BigInt(minutes * 60 + s.second);
  if (seconds < EARLIEST || seconds > LATEST) return null;
  return seconds * 1_000_000n + BigInt(s.fraction.padEnd(9, '0').slice(0, 6));
}

/** Counted from tables, year by year. */
function daysSince1970({ year, month, day }: Spelling): number {
  let days = day - 1;
  for (let y = Math.min(year, 1970); y < Math.max(year, 1970); y++) {
    days += (year < 1970 ? -1 : 1) * (isLeap(y) ? 366 : 365);
  }
  for (let m = 1; m < month; m++) days += daysOf(year, m);
  return days;
}

function daysOf(year: number, month: number): number {
  return [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, as `date -u -d … +%s` gives them.
const EARLIEST = -62135596800n;
const LATEST = 253402300799n;
