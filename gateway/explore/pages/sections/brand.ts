import { weekInWords } from '../../../../lib/weeks/words.ts';
import { competitorsSection } from './competitors.ts';
import { markup, nameOf, withNames } from '../markup.ts';
import type { Html } from '../markup.ts';
import { resultsSection } from './results.ts';
import { sourcesSection } from './sources.ts';
import { stabilitySection } from './stability.ts';
import { visibilitySection } from './visibility.ts';
import type { BrandWeek, EngineHistory } from '../week.ts';
import { newestCycle } from '../../../../lib/weeks/won-lost.ts';

/**
 * Everything about a brand in one week: the week in words, charts, tables. Documents that are not loaded are left out.
 * @param changes what changed since the week before
 * @param tag if given, the stability and the results have only the prompts with this tag
 */
export function brandSection(
  week: BrandWeek,
  histories: readonly EngineHistory[],
  changes: Html | null,
  tag: string | null = null,
): Html {
  const { brand, asOf, visibility, competitors, results, stability, sources } = week;
  return markup`<section aria-labelledby="brand-${brand.id}">
    <h2 id="brand-${brand.id}">${nameOf(brand.name)}</h2>
    <p class="soft">${brand.domain}</p>
    ${tag === null ? null : tagNote(tag, week)}
    <p class="words">${withNames(weekInWords(brand.name, visibility, competitors, asOf).join(' '))}</p>
    ${changes} ${visibilitySection(visibility, histories, asOf)}
    ${competitors === null ? null : competitorsSection(competitors)}
    ${stability === null ? null : stabilitySection(stability, results, asOf)}
    ${results === null ? null : resultsSection(results, asOf)} ${sources === null ? null : sourcesSection(sources)}
  </section>`;
}

function tagNote(tag: string, { visibility, results }: BrandWeek): Html {
  const newest = visibility.perEngine
    .map(({ date }) => date)
    .toSorted()
    .at(-1);
  const ofTag = results === null ? null : newestCycle(results);
  const older =
    ofTag !== null && newest !== undefined && ofTag < newest
      ? markup`<p>These prompts last ran in the week of ${ofTag}, not in the newest week, ${newest}.</p>`
      : null;
  return markup`${older}<p class="soft">
    Only prompts with the tag “${nameOf(tag)}”. “Core and carousel” and “Won and lost” follow the tag; all other parts count every
    prompt.
  </p>`;
}
