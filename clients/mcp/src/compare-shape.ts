import { z } from 'zod';
import { looseShapeOf } from './schemas.ts';

const number = z.number().nullable();
const samePrompts = z.object({ prompts: z.number(), named: z.number(), expected: z.number() }).nullish();
const score = z.object({
  date: z.string(),
  score: z.number(),
  bandLow: number,
  bandHigh: number,
  samePrompts,
});
const behindLeader = z.object({ gapPp: z.number(), lowPp: z.number(), highPp: z.number() }).nullish();
const interval = z.object({ sovPct: z.number(), lowPct: z.number(), highPct: z.number(), behindLeader });
const week = z.object({ snapshotId: z.string(), asOf: z.string() });
const names = z.array(z.string());

const rule = z.string().describe('The rule by which it was judged.');
const notJudged = z.string().describe('Why it cannot be judged.');

/** The shape of a comparison of two weeks, as JSON Schema. */
export const comparisonShape = looseShapeOf(
  z.object({
    brand: z.object({ id: z.string(), name: z.string(), domain: z.string() }),
    before: week,
    after: week,
    notComparable: names.describe(
      'Why the numbers of the two weeks cannot be compared directly. Report these reasons first.',
    ),
    visibility: z.object({
      moved: z
        .array(z.object({ engine: z.string(), rule, because: z.string(), before: score, after: score }))
        .describe('Engines whose score moved. Quote because, and the band.'),
      notMoved: names.describe('Engines whose change is within chance, or whose score is unchanged.'),
      notJudged: z.array(z.object({ engine: z.string(), reason: notJudged })),
      rules: z
        .object({ samePrompts: names, driftBand: names })
        .describe(
          'The engines that were judged by their prompts, and those by the drift band (older weeks).',
        ),
    }),
    shareOfVoice: z.object({
      moved: z
        .array(
          z.object({
            name: z.string(),
            isBrand: z.boolean(),
            rule,
            because: z.string(),
            before: interval,
            after: interval,
          }),
        )
        .describe(
          'Names whose 95 % intervals do not touch. Quote both intervals, or both distances to the first row.',
        ),
      notMoved: names.describe('Names whose intervals overlap: no difference can be claimed.'),
      notJudged: z.array(z.object({ name: z.string(), reason: notJudged })),
      rules: z
        .object({ gapByPrompt: names, interval: names })
        .describe(
          'The names that were judged by their distance to the first row, and those by their interval.',
        ),
      leaders: z
        .object({ before: names, after: names, areByPrompt: z.boolean() })
        .nullable()
        .describe('Set if the leaders changed; areByPrompt: they are from leadersByPrompt.'),
    }),
  }),
);
