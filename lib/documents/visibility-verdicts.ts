import { z } from 'zod';
import { MIN_PROMPTS_FOUR_WEEKS } from '../methodology/constants.ts';
import { count, decimal, percentage } from './shared.ts';

// The verdicts on one engine's score (methodology, Verdicts and Questions).

export const samePrompts = z
  .strictObject({
    prompts: count.describe(
      'Prompts answered in the latest cycle and in at least one of the earlier cycles that the drift band is computed from.',
    ),
    named: count.describe('Those of them that named the brand in the latest cycle.'),
    expected: decimal
      .min(0)
      .describe(
        'How many would name it if nothing had changed: the sum of the shares of their cycles that did.',
      ),
    isSignificant: z
      .boolean()
      .describe(
        'True if named is further from expected than chance explains (95 %). Each prompt is compared with itself, so added and removed prompts cannot move it; more runs per prompt can. In simulations it is true by chance in 0 to 5 % of weeks, and with 25 prompts or more it finds a halved brand more often than the band does.',
      ),
    pValue: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'How often chance alone gives a number at least as far from expected (mid-p, two-sided), four decimals. Judge it together with the other engines: see moved.',
      ),
    detectablePp: percentage
      .nullable()
      .describe(
        'A fall by this number of percentage points would have shown in about seven of ten such weeks; smaller ones mostly do not. Null if no prompt was answered before.',
      ),
  })
  .meta({
    id: 'SamePrompts',
    description: 'The latest cycle compared with the same prompts in earlier cycles.',
  });

export const fourWeeks = z
  .strictObject({
    prompts: count
      .min(MIN_PROMPTS_FOUR_WEEKS)
      .describe('Prompts answered in the newest four cycles and in the earlier ones.'),
    named: count.describe(
      'Over these prompts, the number of cycles among the newest four in which they named the brand.',
    ),
    expected: decimal
      .min(0)
      .describe('How many it would be if each prompt had named it as often as over all these cycles.'),
    isSignificant: z
      .boolean()
      .describe(
        'True if named is further from expected than chance explains (95 %), judged by prompt: a lasting change. In simulations it is true by chance in 3 to 5 % of weeks.',
      ),
  })
  .meta({
    id: 'FourWeeks',
    description: 'The newest four scored cycles compared with the up to nine before them.',
  });

export const unbranded = z
  .strictObject({
    promptsAnswered: count.describe("Answered prompts whose text does not contain the brand's name."),
    promptsNamed: count.describe('Those of them with at least one answer that named the brand.'),
  })
  .meta({
    id: 'UnbrandedPrompts',
    description:
      "The counts of the latest cycle without the prompts that contain the brand's name. A question with the name is nearly always answered with it.",
  });
