import { expect, test } from 'vitest';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { dayBeforeWeek } from '../../../lib/methodology/moved.ts';
import { isOfWeek } from '../../../lib/weeks/readings.ts';

test.each([0n, 1n, 43_200_000_000n, 86_399_999_999n])(
  'a cycle is of the week for readers exactly if it is for the job, %i µs after midnight',
  (micros) => {
    const asOf = BigInt(Date.parse('2026-03-03T00:00:00Z')) * 1000n + micros;
    const before = dayBeforeWeek(asOf);
    const dates = Array.from({ length: 20 }, (_, ago) =>
      new Date(Date.parse('2026-03-03') - ago * 86_400_000).toISOString().slice(0, 10),
    );
    const ofWeek = dates.filter((date) => isOfWeek(date, formatInstant(asOf)));
    expect(ofWeek).toEqual(dates.filter((date) => date > before));
    expect(ofWeek).toHaveLength(10);
  },
);
