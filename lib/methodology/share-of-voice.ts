import type { Competitors } from '../documents/competitors.ts';
import { roundDouble, roundRatio, wilson, z } from './exact.ts';
import type { Interval } from './exact.ts';

type Row = Competitors['shareOfVoice'][number];
type Counted = Pick<Row, 'name' | 'isBrand' | 'mentions'>;
export type Presence = Pick<Row, 'answersNaming' | 'presencePct' | 'presenceLowPct' | 'presenceHighPct'>;
/** A row as it is made from its mentions. */
export type Share = Counted &
  Pick<Row, 'sovPct' | 'lowPct' | 'highPct' | 'halfWidthPp' | 'tiedWithBrand' | 'tiedForLead'>;
type Shares = Pick<Competitors, 'totalMentions' | 'noiseFloorPp' | 'leaders'> & { shareOfVoice: Share[] };

/**
 * Shares of voice (methodology, Competitors).
 * @param counted in the order of the document, one of them the brand
 * @param totalMentions the sum of their mentions
 */
export function shareOfVoice(counted: readonly Counted[], totalMentions: number): Shares {
  const intervals = counted.map(({ mentions }) => wilson(Math.min(mentions, totalMentions), totalMentions));
  const ofBrand = intervals[counted.findIndex(({ isBrand }) => isBrand)]!;
  const hasMentions = totalMentions > 0;
  const rows = counted.map(({ name, isBrand, mentions }, index) => {
    const interval = intervals[index]!;
    return {
      name,
      isBrand,
      mentions,
      sovPct: hasMentions ? roundRatio(100 * mentions, totalMentions, 1) : 0,
      lowPct: roundDouble(100 * interval.low, 1),
      highPct: roundDouble(100 * interval.high, 1),
      halfWidthPp: roundDouble(100 * halfWidth(interval), 1),
      tiedWithBrand: hasMentions && interval !== ofBrand && overlap(interval, ofBrand),
      tiedForLead: hasMentions && overlap(interval, intervals[0]!),
    };
  });
  return {
    shareOfVoice: rows,
    totalMentions,
    noiseFloorPp: hasMentions ? roundDouble(noiseFloor(intervals, totalMentions), 1) : 100,
    leaders: rows.filter((row) => row.tiedForLead).map((row) => row.name),
  };
}

/** The share of the answers that name a row, with its Wilson interval (methodology, Verdicts). */
export function presence(answersNaming: number, answers: number): Presence {
  const { low, high } = wilson(answersNaming, answers);
  return {
    answersNaming,
    presencePct: answers === 0 ? 0 : roundRatio(100 * answersNaming, answers, 1),
    presenceLowPct: roundDouble(100 * low, 1),
    presenceHighPct: roundDouble(100 * high, 1),
  };
}

function halfWidth({ low, high }: Interval): number {
  return (high - low) / 2;
}

/** True also if the intervals only touch. */
function overlap(a: Interval, b: Interval): boolean {
  return Math.max(a.low, b.low) <= Math.min(a.high, b.high);
}

/** In percentage points, unrounded: rows whose shares are further apart than this are never tied. */
function noiseFloor(intervals: readonly Interval[], total: number): number {
  const [widest, second = 0] = intervals.map(halfWidth).toSorted((a, b) => b - a);
  return Math.min(100, 100 * (1 + (z * z) / total) * (widest! + second));
}
