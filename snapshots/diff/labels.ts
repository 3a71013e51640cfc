/** The causes that make two weeks incomparable, the widest first. */
export const causes = [
  'methodology changed',
  'prompts changed',
  'competitors changed',
  'engines changed',
  'brand changed',
] as const;
export type Cause = (typeof causes)[number];

/**
 * The judgement of a change by the published intervals and bands.
 * - `moved`: outside of them
 * - `within noise`: inside of them
 * - `insufficient data`: nothing was counted, or the engine or prompt is warming up
 * - `new cycle`: it changes every week, such as the date of a score
 * - `field added`: the older snapshot was published before the field existed
 * - `not judged`: a value that is published without an interval or a band
 */
export const judgements = [
  'moved',
  'within noise',
  'insufficient data',
  'new cycle',
  'field added',
  'not judged',
] as const;
export type Judgement = (typeof judgements)[number];

/** A cause has precedence over a judgement: with it, the two numbers do not measure the same thing. */
export type Label = Cause | Judgement;

/** All labels, in order of precedence. */
export const labels: readonly Label[] = [...causes, ...judgements];
