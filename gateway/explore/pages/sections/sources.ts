import { engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Sources } from '../../../../lib/documents/sources.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { markup } from '../markup.ts';
import type { Html } from '../markup.ts';
import { chart, table } from '../page.ts';
import { sheetOf } from '../sheets.ts';
import type { BrandWeek } from '../week.ts';

/** How often the brand's own site is cited, on each engine. */
function ownSiteText({ ownSite, answers, answersCiting, citations }: Sources): Html {
  if (ownSite === null)
    return markup`<p>The brand's domain is not readable, so its own site is not counted.</p>`;
  const engines = ownSite.perEngine.map(
    ({ slug, answersCitingOwnSite, answersCiting: citing }) =>
      `${engineName(slug)} ${answersCitingOwnSite} of ${citing}`,
  );
  return markup`<p>
    The own site is cited in ${ownSite.answers} of ${answersCiting} answers with a citation (${answers} answers in all): ${ownSite.citations} of ${citations} citations.
    ${engines.length === 0 ? null : `Answers that cite it: ${engines.join('; ')}.`}
  </p>`;
}

/** The domains that engines cite, those where competitors are furthest ahead first; by citations without competitors. */
export function sourcesSection(week: BrandWeek): Html {
  const { sources: document, competitors } = week;
  const { brand, sources, domains } = document;
  if (sources.length === 0)
    return markup`<section class="card" id="sources"><h3>Sources</h3>
      <p>No engine cited a source in the last ${WINDOW_DAYS} days.</p></section>`;
  const hasRivals = competitors.shareOfVoice.length > 1;
  const by = (row: Sources['sources'][number]) => (hasRivals ? row.gap : row.count);
  const rows = sources.toSorted((a, b) => by(b) - by(a));
  return markup`<section class="card" id="sources"><h3>Sources</h3>
    ${ownSiteText(document)}
    <p class="soft">
      ${
        hasRivals
          ? 'In answers that cite a domain: mentions of competitors less those of the brand. To the right, competitors are ahead: pages worth being on. These counts have no interval; small gaps mean nothing.'
          : 'Citations of each domain.'
      }
      The ${sources.length} of ${domains} cited domains with the largest gap: a site that is missing may well be cited.
    </p>
    <figure>
      ${chart({
        kind: 'bars',
        title: hasRivals
          ? `Gap of ${brand.name} to its competitors by cited domain`
          : `Citations by domain in answers to prompts of ${brand.name}`,
        rows: rows.map((row) => ({ name: row.domain, value: by(row), isOwn: row.isOwnDomain })),
      })}
    </figure>
    <details>
      <summary>The counts of each domain</summary>
      ${table(
        `Domains cited in answers about ${isolatedName(brand.name)} and its competitors`,
        [
          { name: 'Domain' },
          { name: 'Kind' },
          { name: 'Citations', isNumber: true },
          { name: 'Answers', isNumber: true },
          { name: 'Competitors', isNumber: true },
          { name: 'Brand', isNumber: true },
          { name: 'Gap', isNumber: true },
        ],
        rows.map((row) => [
          row.isOwnDomain ? markup`<strong>${row.domain}</strong> (own)` : row.domain,
          row.sourceType,
          row.count,
          row.answers,
          row.competitorMentions,
          row.brandMentions,
          row.gap,
        ]),
        { sheet: sheetOf('sources', week) },
      )}
    </details>
  </section>`;
}
