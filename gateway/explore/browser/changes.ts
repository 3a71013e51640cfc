import { comparisonOf } from '../../../lib/weeks/compare.ts';
import type { Comparison } from '../../../lib/weeks/compare.ts';
import { engineName, isolatedName } from '../../../lib/weeks/words.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { markup, withNames } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import { table } from '../pages/page.ts';
import { careText, nothingMoved, rulesText } from '../pages/sections/changes.ts';
import type { BrandWeek } from '../pages/week.ts';
import { nullIfGone } from './documents.ts';
import type { Snapshot, WeekDocuments } from './documents.ts';

interface Changes {
  /** The visibility of the week before; null if the brand was not there. */
  before: Visibility | null;
  text: Html;
}

/** What moved since the week before, and the causes that make numbers incomparable. Four more requests. */
export async function changesSince(
  older: WeekDocuments,
  before: Snapshot,
  { week, snapshot }: { week: BrandWeek; snapshot: Snapshot },
): Promise<Changes> {
  const earlier = await nullIfGone(
    older.week(week.brand, ['visibility', 'competitors', 'prompts', 'results']),
  );
  const since = before.asOf.slice(0, 10);
  if (earlier === null) return { before: null, text: markup`<p>The brand was not there as of ${since}.</p>` };
  const comparison = comparisonOf(
    { ...compared(earlier), snapshot: before },
    { ...compared(week), snapshot },
  );
  return { before: earlier.visibility, text: changesInWords(since, comparison) };
}

function compared({ visibility, competitors, prompts, results }: BrandWeek) {
  return { visibility, competitors: competitors!, prompts: prompts!, results: results! };
}

export function changesInWords(since: string, { notComparable, visibility, shareOfVoice }: Comparison): Html {
  const rows = [
    ...visibility.moved.map(({ engine, because, before, after }) => [
      engineName(engine),
      before.score,
      after.score,
      because,
    ]),
    ...shareOfVoice.moved.map(({ name, because, before, after }) => [
      withNames(`Share of voice of ${isolatedName(name)}`),
      before.sovPct,
      after.sovPct,
      because,
    ]),
  ];
  return markup`<h3>What changed since ${since}</h3>
    ${careText(notComparable)}
    ${
      rows.length === 0
        ? nothingMoved
        : table(
            `What moved since ${since}`,
            [
              { name: 'Value' },
              { name: 'Before, %', isNumber: true },
              { name: 'After, %', isNumber: true },
              { name: 'Why it is listed' },
            ],
            rows,
          )
    }
    ${rulesText([...visibility.moved, ...shareOfVoice.moved].map(({ rule }) => rule))}`;
}
