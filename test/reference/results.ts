import { answeredPrompts } from './answered-prompts.ts';
import type { Run, Tracked } from './records.ts';
import { byText } from './text.ts';

/** @param runs of the brand; @param prompts of the brand, oldest first. */
export function resultsOf(runs: readonly Run[], prompts: readonly Tracked[]) {
  return { prompts: answeredPrompts(runs, prompts, engineOf) };
}

function engineOf(slug: string, answers: readonly Run[]) {
  const [date, previousDate] = [...new Set(answers.map((run) => run.cycle))].toSorted().toReversed();
  const now = positionIn(answers.filter((run) => run.cycle === date));
  const before = positionIn(answers.filter((run) => run.cycle === previousDate));
  return {
    slug,
    date,
    isNamed: now !== null,
    position: now,
    previousDate: previousDate ?? null,
    wasNamed: previousDate === undefined ? null : before !== null,
    previousPosition: before,
    change: previousDate === undefined ? 'new' : changes[`${before !== null} ${now !== null}`],
    evidence: answers
      .filter((run) => run.cycle === date && (run.url !== null || run.sha256 !== null))
      .toSorted((a, b) => Number(a.ranAt - b.ranAt) || byText(a.id, b.id))
      .map(({ url, sha256 }) => ({ url, sha256 })),
  };
}

/** The change, by whether the brand was named before and is named now. */
const changes: Record<string, string> = {
  'false true': 'won',
  'true false': 'lost',
  'true true': 'kept',
  'false false': 'absent',
};

/** The brand's best position; null if no answer names it. */
function positionIn(answers: readonly Run[]): number | null {
  const positions = answers.flatMap((run) =>
    run.mentions.filter((mention) => mention.subject === 'brand').map((mention) => mention.position),
  );
  return positions.length === 0 ? null : Math.min(...positions);
}
