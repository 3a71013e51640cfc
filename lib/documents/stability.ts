import { z } from 'zod';
import { CORE_SIZE, MIN_CYCLES } from '../methodology/constants.ts';
import { withRules } from './rules/rules.ts';
import { brandReference, engineSlug, id, text } from './shared.ts';
import { placementsAreSound } from './rules/stability.ts';

/** By share of cycles, from the most stable to never named (methodology, Stability). */
export const placements = ['core', 'emerging', 'carousel', 'absent'] as const;
export type Placement = (typeof placements)[number];

const named = z
  .strictObject({
    entity: text.describe('The name as the engine wrote it.'),
    stability: z
      .number()
      .min(0)
      .max(1)
      .describe(
        'Share of the observed cycles in which the name appeared, four decimals. The cycles themselves are stability × cyclesObserved, rounded to the nearest whole number.',
      ),
  })
  .meta({ id: 'NamedEntity', description: 'A name that an engine gave in answer to a prompt.' });

const engineStability = z
  .strictObject({
    slug: engineSlug,
    cyclesObserved: z.number().int().min(1).describe('Weekly cycles in which the prompt ran on the engine.'),
    isWarmingUp: z
      .boolean()
      .describe('True while cyclesObserved is below minCycles; the placements are provisional until then.'),
    brandPlacement: z
      .enum(placements)
      .describe(
        "By the brand's share of cycles: core from 70 %, emerging from 40 %, carousel below, absent where never named.",
      ),
    brandStability: z
      .number()
      .min(0)
      .max(1)
      .describe(
        "The brand's share of the observed cycles, four decimals; 0 where absent. Times cyclesObserved, rounded, it is the number of cycles that named the brand.",
      ),
    core: z
      .array(named)
      .max(CORE_SIZE)
      .describe('The durable core: names in at least 70 % of the cycles, most stable first, at most 5.'),
    carousel: z.array(named).describe('Every other name, the emerging ones included, most stable first.'),
  })
  .meta({ id: 'EngineStability', description: 'Who appears how steadily in answers to a prompt.' });

const promptStability = z
  .strictObject({
    promptId: id.describe('Id of the prompt.'),
    promptText: text.describe('The question as tracked.'),
    engines: z
      .array(engineStability)
      .min(1)
      .describe('One entry for each engine that the prompt has run on, by slug.'),
  })
  .meta({ id: 'PromptStability', description: 'The stability of the names in answers to one prompt.' });

const stabilityShape = z.strictObject({
  brand: brandReference,
  minCycles: z.literal(MIN_CYCLES).describe('Weekly cycles needed before a placement means anything.'),
  prompts: z
    .array(promptStability)
    .describe('The active prompts with at least one cycle of data, oldest first.'),
});

/** The `data` of the stability document (methodology, Stability). */
export const stabilitySchema = withRules(stabilityShape, placementsAreSound).meta({
  id: 'Stability',
  description: 'How steadily a brand and others appear: core or carousel.',
});

export type Stability = z.infer<typeof stabilityShape>;
