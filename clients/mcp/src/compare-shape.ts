import { z } from 'zod';
import { looseShapeOf } from './schemas.ts';

const number = z.number().nullable();
const score = z.object({ date: z.string(), score: z.number(), bandLow: number, bandHigh: number });
const interval = z.object({ sovPct: z.number(), lowPct: z.number(), highPct: z.number() });
const week = z.object({ snapshotId: z.string(), asOf: z.string() });
const names = z.array(z.string());

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
        .array(z.object({ engine: z.string(), because: z.string(), before: score, after: score }))
        .describe('Engines of which one score lies outside of the newer drift band. Quote the band.'),
      notMoved: names.describe('Engines whose score stayed inside of its band or is unchanged.'),
      notJudged: z.array(z.object({ engine: z.string(), reason: notJudged })),
    }),
    shareOfVoice: z.object({
      moved: z
        .array(z.object({ name: z.string(), isBrand: z.boolean(), before: interval, after: interval }))
        .describe('Names whose 95 % intervals do not touch. Quote both intervals.'),
      notMoved: names.describe('Names whose intervals overlap: no difference can be claimed.'),
      notJudged: z.array(z.object({ name: z.string(), reason: notJudged })),
      leaders: z.object({ before: names, after: names }).nullable(),
    }),
  }),
);
