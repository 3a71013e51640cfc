import { engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Results } from '../../../../lib/documents/results.ts';
import { resultChanges } from '../../../../lib/methodology/results.ts';
import type { ResultChange } from '../../../../lib/methodology/results.ts';
import { newestCycle, resultsThisWeek, wonAndLostThisWeek } from '../../../../lib/weeks/won-lost.ts';
import type { WonOrLost } from '../../../../lib/weeks/won-lost.ts';
import { markup } from '../markup.ts';
import type { Html } from '../markup.ts';
import { link, table } from '../page.ts';

/** The number of rows that fit on a printed page. */
const PRINTED_RESULTS = 40;

const words: Record<ResultChange, string> = {
  new: 'asked for the first time',
  won: 'won',
  lost: 'lost',
  kept: 'kept',
  absent: 'absent',
};

/**
 * The newest week's results by change, and a table of those won and lost.
 */
export function resultsSection(results: Results, asOf: string): Html {
  const all = results.prompts.flatMap((prompt) => prompt.engines);
  if (all.length === 0)
    return markup`<h3>Won and lost</h3>
      <p>No active prompt has an answer yet.</p>`;
  const wonAndLost = wonAndLostThisWeek(results, asOf);
  if (wonAndLost === null)
    return markup`<h3>Won and lost</h3>
      <p>– The newest answers are of ${newestCycle(results)}: nothing was won or lost this week.</p>`;
  const engines = resultsThisWeek(results, asOf).map(({ engine }) => engine);
  const counts = resultChanges
    .map((change) => ({ change, count: engines.filter((engine) => engine.change === change).length }))
    .filter(({ count }) => count > 0)
    .map(({ change, count }) => `${count} ${words[change]}`);
  const named = engines.filter((engine) => engine.isNamed).length;
  const older = all.length - engines.length;
  return markup`<h3>Won and lost</h3>
    <p>
      In the week of ${newestCycle(results)} the brand is named in ${named} of ${engines.length} results, one for each prompt and engine:
      ${counts.join(', ')}. ${older === 0 ? null : `Not counted: ${older} older, where an engine has not answered a prompt in that week.`}
      One prompt on one engine is one draw: a single result says nothing about significance.
    </p>
    ${wonAndLostTable(results.brand.name, wonAndLost, PRINTED_RESULTS) ?? markup`<p>Nothing was won or lost in that week.</p>`}`;
}

/** The prompts that were won or lost; null if there are none. */
export function wonAndLostTable(
  name: string,
  wonAndLost: readonly WonOrLost[],
  printedRows = wonAndLost.length,
): Html | null {
  if (wonAndLost.length === 0) return null;
  return table(
    `Prompts that ${isolatedName(name)} won or lost`,
    [
      { name: 'Prompt' },
      { name: 'Engine' },
      { name: 'Result' },
      { name: 'Cycle' },
      { name: 'Position', isNumber: true },
      { name: 'Answers' },
    ],
    wonAndLost.map(({ promptText, slug, change, date, position, answers }) => [
      promptText,
      engineName(slug),
      change,
      date,
      change === 'won' ? position : `was ${position}`,
      answers.length === 0
        ? null
        : markup`${answers.map((url, index) => markup`${link(url, `answer ${index + 1}`)} `)}`,
    ]),
    { printedRows },
  );
}
