import { causeWords } from '../../../lib/weeks/causes.ts';
import { engineName } from '../../../lib/weeks/words.ts';
import type { BrandDiff, JudgedChange } from '../../../snapshots/diff/diff.ts';
import type { Cause } from '../../../snapshots/diff/labels.ts';
import { markup, trusted } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import { table } from '../pages/page.ts';

export function labelTag(label: JudgedChange['label']): Html {
  return markup`<span class="label${label === 'moved' ? trusted(' moved') : null}">${label}</span>`;
}

const reasonWords: Partial<Record<Cause, string>> = {
  ...causeWords,
  'engines changed': 'other engines were asked',
  'brand changed': 'the name or the website of the brand changed',
};

/** Why the numbers of the two weeks may measure different things, in the words of /explore. */
export function reasonsOf({ causes, causesOnEngines }: BrandDiff): string[] {
  const onEngines = causesOnEngines.map(({ slug, text }) => `${engineName(slug)}: ${text}`);
  return [...causes.flatMap((cause) => reasonWords[cause] ?? []), ...onEngines];
}

export function changesTable(
  name: string,
  changes: readonly JudgedChange[],
  printedRows = changes.length,
): Html {
  return table(
    `Changed values of ${name}`,
    [{ name: 'Value' }, { name: 'Label' }, { name: 'Rule' }, { name: 'Before' }, { name: 'After' }],
    changes.map((change) => [
      change.place,
      labelTag(change.label),
      change.rule,
      change.oldText,
      change.newText,
    ]),
    { printedRows },
  );
}
