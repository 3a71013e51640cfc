import type { BrandWeek } from '../pages/week.ts';
import { byId } from './page.ts';

type Prompt = NonNullable<BrandWeek['prompts']>['prompts'][number];

let redraw: (() => void) | null = null;
byId('tag').addEventListener('change', () => redraw?.());

/** Offers the tags of the prompts as a filter; hides the choice if there are none. */
export function offerTags(prompts: readonly Prompt[], whenChosen?: () => void): void {
  const tags = [...new Set(prompts.flatMap((prompt) => prompt.tags))];
  const choice = byId('tag') as HTMLSelectElement;
  const chosen = choice.value;
  choice.replaceChildren(new Option('all', ''), ...tags.toSorted().map((tag) => new Option(tag, tag)));
  choice.value = tags.includes(chosen) ? chosen : '';
  redraw = whenChosen ?? null;
  byId('tag-choice').hidden = tags.length === 0;
}

/** Null if all prompts are wanted. */
export function chosenTag(): string | null {
  const { value } = byId('tag') as HTMLSelectElement;
  return value === '' ? null : value;
}

/** The week with the chosen tag's prompts only, in the parts that list prompts. */
export function chooseTag(week: BrandWeek): BrandWeek {
  const value = chosenTag();
  if (value === null) return week;
  const wanted = new Set(
    week.prompts?.prompts.filter(({ tags }) => tags.includes(value)).map(({ id }) => id),
  );
  const only = <Row extends { promptId: string }>(prompts: Row[]): Row[] =>
    prompts.filter(({ promptId }) => wanted.has(promptId));
  return {
    ...week,
    results: week.results && { ...week.results, prompts: only(week.results.prompts) },
    stability: week.stability && { ...week.stability, prompts: only(week.stability.prompts) },
  };
}
