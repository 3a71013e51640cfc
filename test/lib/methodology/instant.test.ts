import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatInstant,
  formatInstantExactly,
  isDate,
  parseInstant,
  utcDate,
} from '../../../lib/methodology/instant.ts';
import { microsOf, spell } from './instant.reference.ts';
import type { Spelling } from './instant.reference.ts';

const int = (min: number, max: number) => fc.integer({ min, max });

/** Dates that do not exist among those that do; the first and last years, and the edges of every field. */
const spellings: fc.Arbitrary<Spelling> = fc.record({
  year: fc.oneof(int(0, 9999), fc.constantFrom(0, 1, 1969, 1970, 1900, 2000, 2024, 9999)),
  month: int(0, 13),
  day: int(0, 32),
  hour: int(0, 23),
  minute: int(0, 59),
  second: int(0, 59),
  fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\d{1,9}$/)),
  offset: fc.oneof(fc.constant<'Z'>('Z'), int(-1439, 1439)),
});

describe('parseInstant', () => {
  test('agrees with the reference parser on every format, and on every date that does not exist', () => {
    fc.assert(
      fc.property(spellings, fc.constantFrom('T', 't'), fc.constantFrom('Z', 'z'), (spelling, t, z) => {
        expect(parseInstant(spell(spelling, t, z))).toBe(microsOf(spelling));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    '2026-01-05',
    '2026-01-05T09:30Z',
    '2026-01-05T09:30:00',
    '2026-01-05 09:30:00Z',
    '2026-01-05T09:30:60Z',
    '2026-01-05T24:00:00Z',
    '2026-01-05T09:30:00.Z',
    '2026-01-05T09:30:00.1234567890Z',
    '2026-01-05T09:30:00+24:00',
    '2026-01-05T09:30:00+01:60',
    '2026-01-05T09:30:00+01',
    '2026-01-05T09:30:00Z\n',
    '2026-1-05T09:30:00Z',
    '２026-01-05T09:30:00Z',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});

describe('formatInstant', () => {
  test('publishes milliseconds, truncated towards the past', () => {
    expect(formatInstant(1_767_605_400_123_999n)).toBe('2026-01-05T09:30:00.123Z');
    expect(formatInstant(-1n)).toBe('1969-12-31T23:59:59.999Z');
  });

  test('without loss, prints microseconds only if there are any', () => {
    expect(formatInstantExactly(1_767_605_400_123_000n)).toBe('2026-01-05T09:30:00.123Z');
    expect(formatInstantExactly(1_767_605_400_123_004n)).toBe('2026-01-05T09:30:00.123004Z');
    expect(formatInstantExactly(-1n)).toBe('1969-12-31T23:59:59.999999Z');
  });
});

test('utcDate is the day of an instant in UTC, for any offset', () => {
  expect(utcDate(parseInstant('2026-01-05T00:30:00+01:00')!)).toBe('2026-01-04');
  expect(utcDate(parseInstant('2026-01-04T23:30:00-01:00')!)).toBe('2026-01-05');
  expect(utcDate(-1n)).toBe('1969-12-31');
});

test('isDate knows the days that exist', () => {
  fc.assert(
    fc.property(spellings, (spelling) => {
      const midnight = { ...spelling, hour: 0, minute: 0, second: 0, fraction: '', offset: 'Z' as const };
      expect(isDate(spell(midnight).slice(0, 10))).toBe(microsOf(midnight) !== null);
    }),
  );
  for (const text of ['', '2026-1-5', '20260105', '2026-01-05T00:00:00Z', ' 2026-01-05', '2026-02-30']) {
    expect(isDate(text)).toBe(false);
  }
});
