import { roundDouble } from '../../lib/exact.ts';
import type { Sources, Stability } from '../../lib/documents/index.ts';
import { markup } from '../html/html.ts';
import type { Html } from '../html/html.ts';
import { table } from '../html/page.ts';

type Engine = Stability['prompts'][number]['engines'][number];

/** Core and carousel of each prompt. */
export function stabilitySection({ brand, prompts, minCycles }: Stability): Html {
  if (prompts.length === 0)
    return markup`<h3>Core and carousel</h3>
      <p>No active prompt has run yet.</p>`;
  return markup`<h3>Core and carousel</h3>
    <p>
      Names in at least 70 % of an engine’s weekly answers to a prompt are its core; all others come and go.
      Provisional below ${minCycles} cycles.
    </p>
    ${prompts.map(
      ({ promptText, engines }) =>
        markup`<details>
          <summary>${promptText} ${placementsText(engines)}</summary>
          ${table(
            `Who is named for “${promptText}”`,
            [
              { name: 'Engine' },
              { name: 'Cycles', isNumber: true },
              { name: brand.name },
              { name: 'Core' },
              { name: 'Carousel' },
            ],
            engines.map((engine) => [
              engine.slug,
              engine.cyclesObserved,
              `${engine.brandPlacement}${engine.brandPlacement === 'absent' ? '' : `, ${share(engine.brandStability)}`}${engine.isWarmingUp ? ' (provisional)' : ''}`,
              names(engine.core),
              names(engine.carousel),
            ]),
          )}
        </details> `,
    )}`;
}

function placementsText(engines: readonly Engine[]): string {
  const count = (placement: Engine['brandPlacement']) =>
    engines.filter((e) => e.brandPlacement === placement).length;
  const parts = (['core', 'emerging', 'carousel', 'absent'] as const).filter(
    (placement) => count(placement) > 0,
  );
  return `(${parts.map((placement) => `${placement} on ${count(placement)}`).join(', ')})`;
}

function names(list: Engine['core']): Html {
  if (list.length === 0) return markup`–`;
  const each = list.map(({ entity, stability }, index) => {
    return markup`<span>${entity} ${share(stability)}${index < list.length - 1 ? ',' : ''}</span> `;
  });
  return markup`<div class="names">${each}</div>`;
}

/** Not to whole percents: 0.6957 is no core, and must not read as 70 %. */
function share(stability: number): string {
  return `${roundDouble(stability * 100, 1)} %`;
}

/** The domains that engines cite. */
export function sourcesSection({ brand, sources }: Sources): Html {
  if (sources.length === 0)
    return markup`<h3>Sources</h3>
      <p>No engine cited a source in the last 14 days.</p>`;
  return markup`<h3>Sources</h3>
    ${table(
      `Domains cited in answers about ${brand.name} and its competitors, biggest gap first`,
      [
        { name: 'Domain' },
        { name: 'Kind' },
        { name: 'Citations', isNumber: true },
        { name: 'Competitors', isNumber: true },
        { name: 'Brand', isNumber: true },
        { name: 'Gap', isNumber: true },
      ],
      sources.map((row) => [
        row.isOwnDomain ? markup`<strong>${row.domain}</strong> (own)` : row.domain,
        row.sourceType,
        row.count,
        row.competitorMentions,
        row.brandMentions,
        row.gap,
      ]),
    )}`;
}
