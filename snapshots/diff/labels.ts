import type { ScoreRule, ShareRule } from '../../lib/weeks/judge.ts';

/** The causes that make two weeks incomparable, the widest first. */
export const causes = [
  'methodology changed',
  'prompts changed',
  'competitors changed',
  'engines changed',
  'models changed',
  'runs per prompt changed',
  'answered prompts changed',
  'brand changed',
] as const;
export type Cause = (typeof causes)[number];

/** The rules by which a change is judged (docs/auditing.md). */
export type Rule = ScoreRule | ShareRule;

/** The judgement of a change by the published verdicts, intervals and bands; docs/auditing.md explains each. */
export const judgements = [
  'moved',
  'possibly chance',
  'within noise',
  'insufficient data',
  'new cycle',
  'not judged',
] as const;
export type Judgement = (typeof judgements)[number];

export interface Verdict {
  judgement: Judgement;
  /** The rule that it was judged by; null if no rule was. */
  rule: Rule | null;
}

export const notJudged: Verdict = { judgement: 'not judged', rule: null };

/**
 * A cause has precedence over a judgement: with it, the two numbers do not measure the same thing. Other prompts are no
 * such cause for a judgement that compares each prompt with itself.
 */
export type Label = Cause | Judgement;

/** All labels, in order of precedence. */
export const labels: readonly Label[] = [...causes, ...judgements];
