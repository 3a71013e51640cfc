import { isCompared } from './readings.ts';

/** How a change between two weeks is judged, by published verdicts, bands and intervals only. */

/** The rule by which a score was judged: all engines of the brand together. */
export type ScoreRule = 'engines together';
/** The rule by which a share was judged: its distance to the first row, by prompt, or its own interval. */
export type ShareRule = 'gap by prompt' | 'interval';

export interface Judged<Rule> {
  verdict: 'moved' | 'possibly chance' | 'within noise' | 'insufficient data';
  /** Null if there is not enough data for any rule. */
  rule: Rule | null;
  /** The reason, in words. */
  because: string;
}

export interface ScoreFacts {
  score: number;
  bandLow: number | null;
  bandHigh: number | null;
  isSignificant: boolean;
  isWarmingUp: boolean;
  samePrompts: { prompts: number; named: number; expected: number; isSignificant: boolean } | null;
}

export interface ShareFacts {
  lowPct: number;
  highPct: number;
  behindLeader: { lowPp: number; highPp: number } | null;
}

/**
 * A newer score has moved if its engine moved when all of the brand are judged together. If it did not, but its prompts
 * were named further from expected than chance explains, or it is outside its drift band, or that band does not contain the
 * older score, that is possibly chance.
 * @param hasMoved whether the newer week lists the engine as moved
 */
export function judgeScore(before: ScoreFacts, after: ScoreFacts, hasMoved: boolean): Judged<ScoreRule> {
  const { bandLow, bandHigh, samePrompts, isSignificant } = after;
  if (after.isWarmingUp)
    return { verdict: 'insufficient data', rule: null, because: 'warming up: there is no band yet' };
  const because = isCompared(samePrompts)
    ? `${samePrompts.named} of the same ${samePrompts.prompts} prompts name the brand, ${samePrompts.expected} expected`
    : `the newer score is ${isSignificant ? 'outside' : 'inside'} of its drift band`;
  // An engine has no band only while it warms up.
  const wasOutside = before.score < bandLow! || before.score > bandHigh!;
  const isAlert = samePrompts?.isSignificant === true || isSignificant || wasOutside;
  const verdict = hasMoved ? 'moved' : isAlert ? 'possibly chance' : 'within noise';
  return { verdict, rule: 'engines together', because };
}

/**
 * A share has moved if its distances to the first row do not touch, where the same name is first in both weeks; otherwise
 * if its own intervals do not touch.
 */
export function judgeShare(
  before: ShareFacts,
  after: ShareFacts,
  isSameFirst: boolean,
): Judged<ShareRule> & { verdict: 'moved' | 'within noise' } {
  const [was, is] = [before.behindLeader, after.behindLeader];
  const isByPrompt = isSameFirst && was !== null && is !== null;
  const isApart = isByPrompt
    ? was.highPp < is.lowPp || is.highPp < was.lowPp
    : before.highPct < after.lowPct || after.highPct < before.lowPct;
  const what = isByPrompt ? 'distances to the first row, by prompt,' : 'intervals of the shares';
  return {
    verdict: isApart ? 'moved' : 'within noise',
    rule: isByPrompt ? 'gap by prompt' : 'interval',
    because: `the ${what} ${isApart ? 'do not touch' : 'overlap'}`,
  };
}
