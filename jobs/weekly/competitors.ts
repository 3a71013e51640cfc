import type { Competitors } from '../../lib/documents/index.ts';
import { roundDouble, roundRatio, wilson, z } from '../../lib/exact.ts';
import type { Interval } from '../../lib/exact.ts';
import type { BrandRows, ShareRow } from './rows.ts';

/** The `data` of the competitors document, without its brand (spec 2.6; methodology, Competitors). */
export function competitorsOf({ shares }: BrandRows): Omit<Competitors, 'brand'> {
  const total = shares.reduce((sum, row) => sum + row.mentions, 0);
  if (total === 0)
    return { shareOfVoice: shares.map(unheard), totalMentions: 0, noiseFloorPp: 100, leaders: [] };
  const intervals = shares.map((row) => wilson(row.mentions, total));
  const ofBrand = intervals[shares.findIndex((row) => row.is_brand)]!;
  const ofLead = intervals[0]!;
  const shareOfVoice = shares.map(({ name, is_brand: isBrand, mentions }, index) => {
    const interval = intervals[index]!;
    return {
      name,
      isBrand,
      mentions,
      sovPct: roundRatio(100 * mentions, total, 1),
      lowPct: roundDouble(100 * interval.low, 1),
      highPct: roundDouble(100 * interval.high, 1),
      halfWidthPp: roundDouble(100 * halfWidth(interval), 1),
      tiedWithBrand: !isBrand && overlap(interval, ofBrand),
      tiedForLead: overlap(interval, ofLead),
    };
  });
  return {
    shareOfVoice,
    totalMentions: total,
    noiseFloorPp: roundDouble(noiseFloor(intervals, total), 1),
    leaders: shareOfVoice.filter((row) => row.tiedForLead).map((row) => row.name),
  };
}

function unheard({ name, is_brand: isBrand }: ShareRow): Competitors['shareOfVoice'][number] {
  const nothing = { mentions: 0, sovPct: 0, lowPct: 0, highPct: 0, halfWidthPp: 0 };
  return { name, isBrand, ...nothing, tiedWithBrand: false, tiedForLead: false };
}

function halfWidth({ low, high }: Interval): number {
  return (high - low) / 2;
}

/** Touching counts. */
function overlap(a: Interval, b: Interval): boolean {
  return a.low <= b.high && b.low <= a.high;
}

/** In percentage points, unrounded: rows further apart than this never tie. */
function noiseFloor(intervals: readonly Interval[], total: number): number {
  const [widest = 0, second = 0] = intervals.map(halfWidth).toSorted((a, b) => b - a);
  return Math.min(100, 100 * (1 + (z * z) / total) * (widest + second));
}
