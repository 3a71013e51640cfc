import type { Competitors } from '../documents/competitors.ts';
import { MIN_PROMPTS_COMPARED } from './constants.ts';
import { nearestDouble, roundDouble, roundRatio, studentQuantile } from './exact.ts';

type Row = Competitors['shareOfVoice'][number];

/** A row's mentions in the window, and sums over the prompts with mentions of any row. */
export interface ByPrompt {
  mentions: number;
  /** How many such prompts there are; the same in every row. */
  prompts: number;
  /** The row's mentions times themselves, times those of the first row, and times those of all rows. */
  withItself: bigint;
  withLeader: bigint;
  withAll: bigint;
}

/**
 * How far each row is behind the first one, with a 95 % interval by prompt (methodology, Verdicts). The first row's own entry
 * is null. Null with mentions in too few prompts.
 * @param rows in the order of the document
 */
export function behindLeader(rows: readonly ByPrompt[]): Row['behindLeader'][] | null {
  const [leader] = rows;
  if (leader === undefined || leader.prompts < MIN_PROMPTS_COMPARED) return null;
  const total = BigInt(rows.reduce((sum, { mentions }) => sum + mentions, 0));
  const squares = rows.reduce((sum, { withAll }) => sum + withAll, 0n);
  return rows.map((row, index) => (index === 0 ? null : gapOf(row, leader, total, squares)));
}

/** @param total all mentions; @param squares the sum over the prompts of the square of their mentions */
function gapOf(row: ByPrompt, leader: ByPrompt, total: bigint, squares: bigint): Row['behindLeader'] {
  const gap = BigInt(leader.mentions - row.mentions);
  const gapPp = roundRatio(100n * gap, total, 1);
  // The sum of ((l − x) − D·n)², with D = gap / total, times total².
  const differences = leader.withItself - 2n * row.withLeader + row.withItself;
  const mixed = leader.withAll - row.withAll;
  const spread = differences * total ** 2n - 2n * gap * mixed * total + gap ** 2n * squares;
  if (spread === 0n) return { gapPp, lowPp: gapPp, highPp: gapPp, isBehind: gap > 0n };
  const prompts = BigInt(row.prompts);
  const variance = nearestDouble(prompts * spread, (prompts - 1n) * total ** 2n);
  const half = (100 * studentQuantile(row.prompts - 1) * Math.sqrt(variance)) / Number(total);
  const centre = nearestDouble(100n * gap, total);
  return {
    gapPp,
    lowPp: roundDouble(centre - half, 1),
    highPp: roundDouble(centre + half, 1),
    isBehind: centre - half > 0,
  };
}

/** The names of the first row and of all rows that are not behind it, in order (methodology, Verdicts). */
export function leadersByPrompt(rows: readonly Pick<Row, 'name' | 'behindLeader'>[]): string[] {
  return rows.filter((row) => row.behindLeader?.isBehind !== true).map(({ name }) => name);
}
