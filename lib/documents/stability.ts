import { z } from 'zod';
import { CORE_PERCENT, CORE_SIZE, EMERGING_PERCENT, MIN_CYCLES } from '../methodology/constants.ts';
import { compareText } from '../methodology/text.ts';
import { refuseRepeats, refuseUnlessBySlug, refuseUnlessOrdered, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, engineSlug, id, text } from './shared.ts';

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
        'Share of the observed cycles in which the name appeared, four decimals. The number of these cycles is stability × cyclesObserved, rounded to the nearest whole number.',
      ),
  })
  .meta({ id: 'NamedEntity', description: 'A name in the answers of an engine to a prompt.' });

const engineStability = z
  .strictObject({
    slug: engineSlug,
    cyclesObserved: z
      .number()
      .int()
      .min(1)
      .describe('Weekly cycles in which the engine answered the prompt.'),
    isWarmingUp: z
      .boolean()
      .describe('True while cyclesObserved is below minCycles; the placements are provisional until then.'),
    brandPlacement: z
      .enum(placements)
      .describe(
        `By the brand's share of cycles: core from ${CORE_PERCENT} %, emerging from ${EMERGING_PERCENT} %, carousel below, absent if never named.`,
      ),
    brandStability: z
      .number()
      .min(0)
      .max(1)
      .describe(
        "The brand's share of the observed cycles, four decimals; 0 if absent. Multiply it by cyclesObserved and round to get the number of cycles in which the brand was named.",
      ),
    core: z
      .array(named)
      .max(CORE_SIZE)
      .describe(
        `The core: names in at least ${CORE_PERCENT} % of the cycles, most stable first, at most ${CORE_SIZE}.`,
      ),
    carousel: z.array(named).describe('Every other name, including the emerging ones, most stable first.'),
  })
  .meta({
    id: 'EngineStability',
    description: 'How steadily names appear in the answers of one engine to a prompt.',
  });

const promptStability = z
  .strictObject({
    promptId: id.describe('Id of the prompt.'),
    promptText: text.describe('The question as tracked.'),
    engines: z
      .array(engineStability)
      .min(1)
      .describe('One entry for each engine that has answered the prompt, by slug.'),
  })
  .meta({ id: 'PromptStability', description: 'The stability of the names in answers to one prompt.' });

const stabilityShape = z.strictObject({
  brand: brandReference,
  minCycles: z
    .literal(MIN_CYCLES)
    .describe('Weekly cycles needed before a placement is no longer provisional.'),
  prompts: z
    .array(promptStability)
    .describe('The active prompts with at least one answered cycle, oldest first.'),
});

export type Stability = z.infer<typeof stabilityShape>;
type Name = Stability['prompts'][number]['engines'][number]['core'][number];

const isInOrder = (a: Name, b: Name) => (b.stability - a.stability || compareText(a.entity, b.entity)) <= 0;

const namesAreInOrder: Rule<Stability> = ({ prompts }, refuse) => {
  refuseRepeats(prompts, (prompt) => prompt.promptId, ['prompts'], 'a prompt must appear once', refuse);
  const order = 'must come in order: most stable first, then by name';
  for (const [index, { engines }] of prompts.entries()) {
    const path = ['prompts', index, 'engines'];
    refuseUnlessBySlug(engines, path, refuse);
    for (const [at, { core, carousel }] of engines.entries()) {
      refuseUnlessOrdered(core, isInOrder, [...path, at, 'core'], order, refuse);
      refuseUnlessOrdered(carousel, isInOrder, [...path, at, 'carousel'], order, refuse);
    }
  }
};

/** The `data` of the stability document (methodology, Stability). */
export const stabilitySchema = withRules(stabilityShape, namesAreInOrder).meta({
  id: 'Stability',
  description: 'How steadily the brand and other names appear: core or carousel.',
});
