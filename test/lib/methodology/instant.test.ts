import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatInstant,
  formatInstantExactly,
  isDate,
  parseInstant,
  utcDate,
} from '../../../lib/methodology/instant.ts';
import { Refusal, dateOf, instantOf } from '../../reference/records.ts';

const two = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, '0'));
const year = fc
  .oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 1, 1969, 1970, 1900, 2000, 2024, 9999))
  .map((number) => String(number).padStart(4, '0'));

/** Dates that do not exist among those that do. */
const dates = fc.tuple(year, two(0, 13), two(0, 32)).map((parts) => parts.join('-'));
/** Of each part also what no instant has, seldom. */
const or = (good: fc.Arbitrary<string>, ...bad: string[]) =>
  fc.oneof({ arbitrary: good, weight: 8 }, { arbitrary: fc.constantFrom(...bad), weight: 1 });
const ahead = fc.tuple(fc.constantFrom('+', '-'), two(0, 24), fc.constant(':'), two(0, 60));
const instants = fc
  .tuple(
    or(dates, '2026-1-05', '２026-01-05', ' 2026-01-05'),
    or(fc.constantFrom('T', 't'), ' ', ''),
    or(
      fc.tuple(two(0, 24), two(0, 60), two(0, 60)).map((parts) => parts.join(':')),
      '',
      '09:30',
      '24:00:00',
    ),
    or(fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/)), '.', '.1234567890'),
    or(
      fc.oneof(
        fc.constantFrom('Z', 'z'),
        ahead.map((parts) => parts.join('')),
      ),
      '',
      'Z\n',
      '+01',
      '+0100',
    ),
  )
  .map((parts) => parts.join(''));

const ends = ['0001-01-01T00:00:00', '9999-12-31T23:59:59.999999'].flatMap((end) =>
  ['Z', '+00:01', '-00:01'].map((zone): [string] => [end + zone]),
);
// The years 1 to 9999, as `date -u -d … +%s` gives them.
const [EARLIEST, END] = [-62_135_596_800_000_000n, 253_402_300_800_000_000n];

/** What the reference reads, or null. */
function read<Value>(by: (text: string) => Value, text: string): Value | null {
  try {
    return by(text);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

test('parseInstant agrees with the reference on every format, and on every date and time that does not exist', () => {
  fc.assert(
    fc.property(instants, (text) => {
      const micros = read(instantOf, text);
      const isInRange = micros !== null && micros >= EARLIEST && micros < END;
      expect(parseInstant(text)).toBe(isInRange ? micros : null);
    }),
    { numRuns: 4000, examples: ends },
  );
});

test('formatInstant publishes milliseconds, truncated towards the past', () => {
  expect(formatInstant(1_767_605_400_123_999n)).toBe('2026-01-05T09:30:00.123Z');
  expect(formatInstant(-1n)).toBe('1969-12-31T23:59:59.999Z');
});

test('formatInstantExactly prints microseconds only if there are any', () => {
  expect(formatInstantExactly(1_767_605_400_123_000n)).toBe('2026-01-05T09:30:00.123Z');
  expect(formatInstantExactly(1_767_605_400_123_004n)).toBe('2026-01-05T09:30:00.123004Z');
  expect(formatInstantExactly(-1n)).toBe('1969-12-31T23:59:59.999999Z');
});

test('utcDate is the day of an instant in UTC, for any offset', () => {
  expect(utcDate(parseInstant('2026-01-05T00:30:00+01:00')!)).toBe('2026-01-04');
  expect(utcDate(parseInstant('2026-01-04T23:30:00-01:00')!)).toBe('2026-01-05');
  expect(utcDate(-1n)).toBe('1969-12-31');
});

test('isDate knows the days that exist', () => {
  fc.assert(
    fc.property(dates, (text) => {
      expect(isDate(text)).toBe(!text.startsWith('0000') && read(dateOf, text) !== null);
    }),
  );
  for (const text of ['', '2026-1-5', '20260105', '2026-01-05T00:00:00Z', ' 2026-01-05', '2026-02-30']) {
    expect(isDate(text)).toBe(false);
  }
});
