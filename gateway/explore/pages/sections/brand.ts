import { comparisonOf } from '../../../../lib/weeks/compare.ts';
import { isOfWeek } from '../../../../lib/weeks/readings.ts';
import { resultsThisWeek } from '../../../../lib/weeks/won-lost.ts';
import { weekInWords } from '../../../../lib/weeks/words.ts';
import { markup, nameOf, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { ownShare, wasText } from '../week.ts';
import type { Band, BrandWeek, EarlierWeek } from '../week.ts';
import { changesSection } from './changes.ts';
import { competitorsSection } from './competitors.ts';
import { countOf, promptsSection } from './prompts.ts';
import { sourcesSection } from './sources.ts';
import { visibilitySection } from './visibility.ts';

/** The week that a brand is compared with. */
export interface Compared {
  documents: EarlierWeek;
  name: string;
  snapshot: { id: string; asOf: string; methodologyVersion: string };
}

/**
 * Everything about a brand in one week: key numbers, what changed, engines, rivals, prompts, sources.
 * @param bands of earlier weeks
 */
export function brandSection(
  week: BrandWeek,
  snapshot: Compared['snapshot'],
  before: Compared | null,
  bands: readonly Band[],
): Html {
  const { brand, asOf, visibility, competitors } = week;
  return markup`<section aria-labelledby="brand-name">
    <header class="brand">
      <h2 id="brand-name">${nameOf(brand.name)}</h2>
      <p class="soft">${brand.domain}</p>
      ${jumps(week)}
    </header>
    <p class="words">${withNames(weekInWords(brand.name, visibility, competitors, asOf).join(' '))}</p>
    ${keyNumbers(week, before)}
    ${
      before === null
        ? null
        : changesSection(
            before.name,
            comparisonOf({ ...before.documents, snapshot: before.snapshot }, { ...week, snapshot }),
          )
    }
    ${visibilitySection(week, bands)} ${competitorsSection(week)} ${promptsSection(week)} ${sourcesSection(week)}
  </section>`;
}

/** What leads to the parts of a long page. */
function jumps({ results, asOf }: BrandWeek): Html {
  const ofThisWeek = resultsThisWeek(results, asOf).map(({ engine }) => engine);
  const parts = [
    ['visibility', 'Visibility'],
    ['rivals', 'Share of voice'],
    [
      'prompts',
      ofThisWeek.length === 0
        ? 'Prompts'
        : `Prompts: ${countOf(ofThisWeek, 'won')} results won, ${countOf(ofThisWeek, 'lost')} lost`,
    ],
    ['sources', 'Sources'],
  ];
  return markup`<nav class="jumps screen" aria-label="Parts of this page">
    ${parts.map(([id, text]) => markup`<button type="button" class="small" data-to="${id}">${text}</button> `)}
  </nav>`;
}

/** The five numbers that a client asks for, with those of the other week. */
function keyNumbers({ asOf, visibility, competitors, sources }: BrandWeek, compared: Compared | null): Html {
  const before = compared?.documents;
  const { signals } = visibility;
  const own = ownShare(competitors);
  const counted = own !== null && own.names > 1 ? own : null;
  const was = before === undefined ? null : ownShare(before.competitors);
  const isOfThisWeek = visibility.perEngine.some(({ date }) => isOfWeek(date, asOf));
  const tiles = [
    tile(
      'Visibility',
      isOfThisWeek ? `${visibility.overallVisibility} %` : null,
      before === undefined || before.visibility.perEngine.length === 0
        ? null
        : wasText(before.visibility.overallVisibility, visibility.overallVisibility),
      isOfThisWeek ? 'mean of engines' : 'no answers this week',
    ),
    tile(
      'Share of voice',
      counted && `${counted.sovPct} %`,
      counted && wasText(was?.sovPct, counted.sovPct),
      own === null ? 'no mentions' : counted ? `place ${own.rank} of ${own.names}` : 'no competitors',
    ),
    tile(
      'Named in answers',
      signals.answers === 0 ? null : `${signals.answersNaming} of ${signals.answers}`,
      before === undefined ? null : wasText(before.visibility.signals.answersNaming, signals.answersNaming),
      'last 14 days',
    ),
    tile(
      'Position',
      signals.avgPosition === null ? null : String(signals.avgPosition),
      wasText(before?.visibility.signals.avgPosition, signals.avgPosition),
      '1 is named first',
    ),
    tile(
      'Own site cited',
      sources.ownSite === null ? null : `${sources.ownSite.citations} ×`,
      wasText(before?.sources.ownSite?.citations, sources.ownSite?.citations),
      `of ${sources.citations} citations`,
    ),
  ];
  return markup`<dl class="tiles" aria-label="Key numbers">${tiles}</dl>`;
}

/** A key number, with the one of the other week. */
export function tile(name: string, value: string | null, was: string | null, note: string): Html {
  return markup`<div>
    <dt>${name}</dt>
    <dd class="value">${value ?? '–'}</dd>
    <dd class="soft">${was === null ? null : markup`<b>${was}</b> · `}${note}</dd>
  </div>`;
}
