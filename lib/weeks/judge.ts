/** How a change between two weeks is judged, by published verdicts, bands and intervals only. */

/** The rule by which a score was judged: its prompts compared with themselves, or the drift band. */
export type ScoreRule = 'same prompts' | 'drift band';
/** The rule by which a share was judged: its distance to the first row, by prompt, or its own interval. */
export type ShareRule = 'gap by prompt' | 'interval';

export interface Judged<Rule> {
  verdict: 'moved' | 'within noise' | 'insufficient data';
  /** Null if there is not enough data for any rule. */
  rule: Rule | null;
  /** The reason, in words. */
  because: string;
}

/** Fields that were added later may be absent: older weeks do not have them. */
export interface ScoreFacts {
  score: number;
  bandLow?: number | null;
  bandHigh?: number | null;
  isSignificant: boolean;
  isWarmingUp: boolean;
  samePrompts?: { prompts: number; named: number; expected: number; isSignificant: boolean } | null;
}

export interface ShareFacts {
  lowPct: number;
  highPct: number;
  behindLeader?: { lowPp: number; highPp: number } | null;
}

/**
 * A newer score has moved if its prompts were named further from expected than chance explains; without such a
 * comparison, if it is outside its drift band. It has moved too if the newer band does not contain the older score.
 */
export function judgeScore(before: ScoreFacts, after: ScoreFacts): Judged<ScoreRule> {
  const { bandLow = null, bandHigh = null, samePrompts = null } = after;
  if (after.isWarmingUp || bandLow === null || bandHigh === null)
    return { verdict: 'insufficient data', rule: null, because: 'warming up: there is no band yet' };
  const isCompared = samePrompts !== null && samePrompts.prompts > 0;
  const because = isCompared
    ? `${samePrompts.named} of the same ${samePrompts.prompts} prompts name the brand, ${samePrompts.expected} expected`
    : `the newer score is ${after.isSignificant ? 'outside' : 'inside'} of its drift band`;
  const rule = isCompared ? 'same prompts' : 'drift band';
  if (isCompared ? samePrompts.isSignificant : after.isSignificant)
    return { verdict: 'moved', rule, because };
  if (before.score >= bandLow && before.score <= bandHigh) return { verdict: 'within noise', rule, because };
  return {
    verdict: 'moved',
    rule: 'drift band',
    because: 'the older score is outside of the drift band of the newer one',
  };
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
  const [was, is] = [before.behindLeader ?? null, after.behindLeader ?? null];
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
