import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Timeline } from '../../../../lib/documents/timeline.ts';
import type { EngineSlug } from '../../../../lib/methodology/constants.ts';
import { TIMELINE_SIZE } from '../../../../lib/methodology/constants.ts';
import { makeTable } from '../../../relations.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

/** Lists are texts. */
interface EngineRow {
  slug: EngineSlug;
  dates: string;
  promptsAnswered: string;
  answers: string;
}

interface NameRow {
  /** Null: the brand. */
  competitorNo: number | null;
  name: string;
  isBrand: boolean;
  /** Null if no engine ever answered. */
  slug: EngineSlug | null;
  promptsNamed: string;
}

/** The timeline document (methodology, Questions). */
export const timeline: DocumentSource = async (connection, slice) => {
  await makeTable(connection, import.meta, 'timeline-cycle', { timeline_size: TIMELINE_SIZE });
  const engines = await selectByBrand<EngineRow>(connection, import.meta, 'engines', slice);
  const names = await selectByBrand<NameRow>(connection, import.meta, 'names', slice);
  return (brandNo, brand) =>
    encodeDocument('timeline', {
      brand,
      engines: engines(brandNo).map(({ slug, dates, promptsAnswered, answers }) => ({
        slug,
        dates: dates.split(','),
        promptsAnswered: countsIn(promptsAnswered),
        answers: countsIn(answers),
      })),
      names: namesOf(names(brandNo)),
    });
};

/** @param rows in order, the engines of a name next to each other */
function namesOf(rows: readonly NameRow[]): Timeline['names'] {
  const byName = Map.groupBy(rows, ({ competitorNo }) => competitorNo);
  return [...byName.values()].map((own) => ({
    name: own[0]!.name,
    isBrand: own[0]!.isBrand,
    engines: own.flatMap(({ slug, promptsNamed }) =>
      slug === null ? [] : [{ slug, promptsNamed: countsIn(promptsNamed) }],
    ),
  }));
}

function countsIn(text: string): number[] {
  return text.split(',').map(Number);
}
