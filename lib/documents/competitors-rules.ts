import { roundDouble, roundRatio, wilson, z } from '../exact.ts';
import type { Interval } from '../exact.ts';
import { compareText } from '../text.ts';
import type { Competitors } from './competitors.ts';
import { refuseWhereDescending } from './rules.ts';
import type { Rule } from './rules.ts';

type Row = Competitors['shareOfVoice'][number];

const byMentions = (a: Row, b: Row) =>
  b.mentions - a.mentions || Number(b.isBrand) - Number(a.isBrand) || compareText(a.name, b.name);

/** The rules between the fields of a competitors document (spec 2.6; methodology, Competitors). */
export const rowsAreInOrder: Rule<Competitors> = ({ brand, shareOfVoice, totalMentions }, refuse) => {
  const own = shareOfVoice.filter((row) => row.isBrand);
  if (own.length !== 1) refuse(['shareOfVoice'], `must have one row of the brand, has ${own.length}`);
  else if (own[0]!.name !== brand.name) refuse(['shareOfVoice'], "the brand's row must have its name");
  const message = 'rows must be by mentions, most first, then the brand, then by name';
  refuseWhereDescending(shareOfVoice, byMentions, ['shareOfVoice'], message, refuse);
  const sum = shareOfVoice.reduce((total, row) => total + row.mentions, 0);
  if (totalMentions !== sum) refuse(['totalMentions'], `must be the sum of all mentions, ${sum}`);
};

export const intervalsAgree: Rule<Competitors> = (document, refuse) => {
  const { shareOfVoice, totalMentions: n } = document;
  const intervals = shareOfVoice.map((row) => wilson(Math.min(row.mentions, n), n));
  const brandAt = shareOfVoice.findIndex((row) => row.isBrand);
  for (const [index, row] of shareOfVoice.entries()) {
    const interval = intervals[index]!;
    const { low, high } = interval;
    const expected: Partial<Row> = {
      sovPct: n === 0 ? 0 : roundRatio(100 * row.mentions, n, 1),
      lowPct: roundDouble(100 * low, 1),
      highPct: roundDouble(100 * high, 1),
      halfWidthPp: roundDouble(50 * (high - low), 1),
      tiedWithBrand: n > 0 && index !== brandAt && overlap(interval, intervals[brandAt]),
      tiedForLead: n > 0 && overlap(interval, intervals[0]),
    };
    for (const field of Object.keys(expected) as (keyof Row)[]) {
      if (row[field] === expected[field]) continue;
      refuse(
        ['shareOfVoice', index, field],
        `must be ${expected[field]} for ${row.mentions} of ${n} mentions`,
      );
    }
  }
  const floor = noiseFloor(intervals, n);
  if (document.noiseFloorPp !== floor) refuse(['noiseFloorPp'], `must be ${floor}, by the widest intervals`);
};

export const leadersFollow: Rule<Competitors> = ({ leaders, shareOfVoice }, refuse) => {
  const tied = shareOfVoice.filter((row) => row.tiedForLead).map((row) => row.name);
  if (leaders.length !== tied.length || leaders.some((name, at) => name !== tied[at])) {
    refuse(['leaders'], 'must be the names of the rows tied for the lead, in order');
  }
};

function overlap(a: Interval, b: Interval | undefined): boolean {
  return b !== undefined && a.low <= b.high && b.low <= a.high;
}

function noiseFloor(intervals: readonly Interval[], n: number): number {
  if (n === 0) return 100;
  const halves = intervals.map(({ low, high }) => (high - low) / 2).toSorted((a, b) => b - a);
  return roundDouble(Math.min(100, 100 * (1 + (z * z) / n) * (halves[0]! + (halves[1] ?? 0))), 1);
}
