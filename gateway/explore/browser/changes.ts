import { comparisonOf } from '../../../clients/typescript/src/compare.ts';
import type { Comparison } from '../../../clients/typescript/src/compare.ts';
import { engineName } from '../../../clients/typescript/src/words.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { markup } from '../../../snapshots/pages/markup.ts';
import type { Html } from '../../../snapshots/pages/markup.ts';
import { table } from '../../../snapshots/pages/page.ts';
import { careText, nothingMoved, rulesText } from '../../../snapshots/pages/sections/changes.ts';
import type { BrandWeek } from '../../../snapshots/pages/week.ts';
import type { Snapshot, WeekDocuments } from './documents.ts';
import { ApiError } from './requests.ts';

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
  const read = async () =>
    await Promise.all([
      older.document<Visibility>(week.brand, 'visibility'),
      older.document<NonNullable<BrandWeek['competitors']>>(week.brand, 'competitors'),
      older.document<NonNullable<BrandWeek['prompts']>>(week.brand, 'prompts'),
      older.document<NonNullable<BrandWeek['results']>>(week.brand, 'results'),
    ]);
  const documents = await read().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });
  const since = before.asOf.slice(0, 10);
  if (documents === null)
    return { before: null, text: markup`<p>The brand was not there as of ${since}.</p>` };
  const [visibility, competitors, prompts, results] = documents;
  const comparison = comparisonOf(
    { visibility, competitors, prompts, results, snapshot: before },
    {
      visibility: week.visibility,
      competitors: week.competitors!,
      prompts: week.prompts!,
      results: week.results!,
      snapshot,
    },
  );
  return { before: visibility, text: changesInWords(since, comparison) };
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
      `Share of voice of ${name}`,
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
