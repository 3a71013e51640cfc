/** What makes two weeks incomparable, the widest first. */
export const causes = [
  'methodology changed',
  'prompts changed',
  'competitors changed',
  'engines changed',
  'brand changed',
] as const;
export type Cause = (typeof causes)[number];

/**
 * What the published intervals and bands say of a change.
 * - `moved`: outside of what they allow
 * - `within noise`: inside of it
 * - `insufficient data`: nothing was counted, or the engine or prompt is warming up
 * - `new cycle`: it changes with every week, such as the date of a score
 * - `field added`: the older snapshot was published without it
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

/** A cause stands above what the numbers say: with it, they are not of the same thing. */
export type Label = Cause | Judgement;

/** In the order of their weight. */
export const labels: readonly Label[] = [...causes, ...judgements];
