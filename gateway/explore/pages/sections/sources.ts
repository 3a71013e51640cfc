import { engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Sources } from '../../../../lib/documents/sources.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { gapChart } from '../charts.ts';
import { markup } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';

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

/** The domains that engines cite, those where competitors are furthest ahead first. */
export function sourcesSection(document: Sources): Html {
  const { brand, sources } = document;
  if (sources.length === 0)
    return markup`<h3>Sources</h3>
      <p>No engine cited a source in the last ${WINDOW_DAYS} days.</p>`;
  return markup`<h3>Sources</h3>
    ${ownSiteText(document)}
    <p>
      In answers that cite a domain: mentions of competitors less those of the brand. These counts have no interval; small
      gaps mean nothing. The chart has the ${sources.length} of ${document.domains} cited domains with the largest gap: a site that is missing may well be
      cited.
    </p>
    <figure>
      ${gapChart(
        {
          title: `Gap of ${brand.name} to its competitors by cited domain`,
          description: sources.map(({ domain, gap }) => `${domain} ${gap}`).join(', '),
        },
        sources.map(({ domain, gap, isOwnDomain }) => ({ name: domain, gap, isOwn: isOwnDomain })),
      )}
    </figure>
    <details class="screen">
      <summary>The counts of each domain</summary>
      ${table(
        `Domains cited in answers about ${isolatedName(brand.name)} and its competitors, biggest gap first`,
        [
          { name: 'Domain' },
          { name: 'Kind' },
          { name: 'Citations', isNumber: true },
          { name: 'Answers', isNumber: true },
          { name: 'Competitors', isNumber: true },
          { name: 'Brand', isNumber: true },
          { name: 'Gap', isNumber: true },
        ],
        sources.map((row) => [
          row.isOwnDomain ? markup`<strong>${row.domain}</strong> (own)` : row.domain,
          row.sourceType,
          row.count,
          row.answers,
          row.competitorMentions,
          row.brandMentions,
          row.gap,
        ]),
      )}
    </details>`;
}
