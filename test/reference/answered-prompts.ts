import { engines } from './records.ts';
import type { Run, Tracked } from './records.ts';

/**
 * The active prompts that were ever answered, each with what `engineOf` makes of the answers of each engine.
 * @param runs of the brand; @param prompts of the brand, oldest first.
 */
export function answeredPrompts<Engine>(
  runs: readonly Run[],
  prompts: readonly Tracked[],
  engineOf: (slug: string, answers: readonly Run[]) => Engine,
) {
  return prompts
    .filter((prompt) => prompt.isActive)
    .map((prompt) => ({
      promptId: prompt.id,
      promptText: prompt.text!,
      engines: engines.flatMap((slug) => {
        const answers = runs.filter(
          (run) => run.promptId === prompt.id && run.engine === slug && run.status === 'success',
        );
        return answers.length === 0 ? [] : [engineOf(slug, answers)];
      }),
    }))
    .filter((prompt) => prompt.engines.length > 0);
}
