import { engines } from './records.ts';
import type { Run, Tracked } from './records.ts';

/** @param runs of the brand; @param prompts of the brand, oldest first. */
export function resultsOf(runs: readonly Run[], prompts: readonly Tracked[]) {
  const shown = prompts
    .filter((prompt) => prompt.isActive)
    .map((prompt) => ({
      promptId: prompt.id,
      promptText: prompt.text!,
      engines: engines.flatMap((slug) => {
        const answers = runs.filter(
          (run) => run.promptId === prompt.id && run.engine === slug && run.status === 'success',
        );
        const [date, previousDate] = [...new Set(answers.map((run) => run.cycle))].toSorted().toReversed();
        if (date === undefined) return [];
        const now = positionIn(answers.filter((run) => run.cycle === date));
        const before = positionIn(answers.filter((run) => run.cycle === previousDate));
        return [
          {
            slug,
            date,
            isNamed: now !== null,
            position: now,
            previousDate: previousDate ?? null,
            wasNamed: previousDate === undefined ? null : before !== null,
            previousPosition: before,
            change: previousDate === undefined ? 'new' : changes[`${before !== null} ${now !== null}`],
          },
        ];
      }),
    }));
  return { prompts: shown.filter((prompt) => prompt.engines.length > 0) };
}

/** By whether the brand was named before, and is now. */
const changes: Record<string, string> = {
  'false true': 'won',
  'true false': 'lost',
  'true true': 'kept',
  'false false': 'absent',
};

/** The brand's best position; null where no answer names it. */
function positionIn(answers: readonly Run[]): number | null {
  const positions = answers.flatMap((run) =>
    run.mentions.filter((mention) => mention.subject === 'brand').map((mention) => mention.position),
  );
  return positions.length === 0 ? null : Math.min(...positions);
}
