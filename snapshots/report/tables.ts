import { CORE_PERCENT, WINDOW_DAYS } from '../../lib/methodology/constants.ts';
import { roundDouble } from '../../lib/methodology/exact.ts';
import type { Sources } from '../../lib/documents/sources.ts';
import type { Stability } from '../../lib/documents/stability.ts';
import { markup } from '../html/html.ts';
import type { Html } from '../html/html.ts';
import { table } from '../html/page.ts';
import { engineName } from '../diff/words.ts';

type Engine = Stability['prompts'][number]['engines'][number];

/** The number of prompts that fit on about three printed pages. */
const PRINTED_PROMPTS = 50;

/** The placement of the brand for each prompt on each engine; on screen also the other names. */
export function stabilitySection({ brand, prompts, minCycles }: Stability): Html {
  if (prompts.length === 0)
    return markup`<h3>Core and carousel</h3>
      <p>No active prompt has run yet.</p>`;
  return markup`<h3>Core and carousel</h3>
    <p>
      A name is core if it appears in at least ${CORE_PERCENT} % of an engine’s weekly answers to a prompt; all others come and go. In
      brackets: fewer than ${minCycles} cycles, so provisional.
    </p>
    <div class="matrix">${placementsTable(brand.name, prompts)}</div>
    <div class="screen">${prompts.map((prompt) => promptDetails(brand.name, prompt))}</div>
    <p class="soft paper">The page on screen also has the other names of each prompt.</p>`;
}

function placementsTable(brand: string, prompts: Stability['prompts']): Html {
  const slugs = [...new Set(prompts.flatMap(({ engines }) => engines.map(({ slug }) => slug)))].toSorted();
  return table(
    `Where answers name ${brand}: placement, and share of the weekly cycles in percent`,
    [{ name: 'Prompt' }, ...slugs.map((slug) => ({ name: engineName(slug) }))],
    prompts.map(({ promptText, engines }) => [
      promptText,
      ...slugs.map((slug) => placementText(engines.find((engine) => engine.slug === slug))),
    ]),
    { printedRows: PRINTED_PROMPTS },
  );
}

function placementText(engine: Engine | undefined): string | null {
  if (engine === undefined) return null;
  const { brandPlacement, brandStability, isWarmingUp } = engine;
  const text = brandPlacement === 'absent' ? 'absent' : `${brandPlacement} ${share(brandStability)}`;
  return isWarmingUp ? `(${text})` : text;
}

function promptDetails(brand: string, { promptText, engines }: Stability['prompts'][number]): Html {
  return markup`<details>
    <summary>${promptText}</summary>
    ${table(
      `Who is named for “${promptText}”`,
      [
        { name: 'Engine' },
        { name: 'Cycles', isNumber: true },
        { name: brand },
        { name: 'Core' },
        { name: 'Carousel' },
      ],
      engines.map((engine) => [
        engineName(engine.slug),
        engine.cyclesObserved,
        placementText(engine),
        names(engine.core),
        names(engine.carousel),
      ]),
    )}
  </details> `;
}

function names(list: Engine['core']): Html {
  if (list.length === 0) return markup`–`;
  const each = list.map(({ entity, stability }, index) => {
    return markup`<span>${entity} ${share(stability)}${index < list.length - 1 ? ',' : ''}</span> `;
  });
  return markup`<div class="names">${each}</div>`;
}

/** With one decimal: 0.6957 is not core, and must not be shown as 70 %. */
function share(stability: number): string {
  return `${roundDouble(stability * 100, 1)}\u00a0%`;
}

/** The domains that engines cite. */
export function sourcesSection({ brand, sources }: Sources): Html {
  if (sources.length === 0)
    return markup`<h3>Sources</h3>
      <p>No engine cited a source in the last ${WINDOW_DAYS} days.</p>`;
  return markup`<h3>Sources</h3>
    ${table(
      `Domains cited in answers about ${brand.name} and its competitors, biggest gap first`,
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
        (row.answers as number | undefined) ?? null, // older snapshots have none
        row.competitorMentions,
        row.brandMentions,
        row.gap,
      ]),
    )}`;
}
