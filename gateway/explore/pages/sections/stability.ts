import { engineName, isolatedName } from '../../../../lib/weeks/words.ts';
import type { Results } from '../../../../lib/documents/results.ts';
import type { Stability } from '../../../../lib/documents/stability.ts';
import { CORE_PERCENT, EMERGING_PERCENT } from '../../../../lib/methodology/constants.ts';
import { roundDouble } from '../../../../lib/methodology/exact.ts';
import { newestCycle, wonAndLostThisWeek } from '../../../../lib/weeks/won-lost.ts';
import type { WonOrLost } from '../../../../lib/weeks/won-lost.ts';
import { markup, nameOf, trusted } from '../markup.ts';
import type { Html } from '../markup.ts';
import { table } from '../page.ts';

type Engine = Stability['prompts'][number]['engines'][number];

/** The number of prompts that fit on about three printed pages. */
const PRINTED_PROMPTS = 50;

/**
 * A heat map of the brand's placement, prompt by engine, with what was won and lost in the newest week; on screen also the other names.
 */
export function stabilitySection(
  { brand, prompts, minCycles }: Stability,
  results: Results | null,
  asOf: string,
): Html {
  const changes = results === null ? null : wonAndLostThisWeek(results, asOf);
  if (prompts.length === 0)
    return markup`<h3>Core and carousel</h3>
      <p>No active prompt has an answer yet.</p>`;
  return markup`<h3>Core and carousel</h3>
    <p>
      How steadily the answers name the brand: the percentage of the weekly cycles in which they do. In brackets: fewer
      than ${minCycles} cycles, so provisional.
    </p>
    ${placements} ${changes === null ? null : signsText(newestCycle(results!)!)}
    <div class="matrix">${heatMap(brand.name, prompts, changes ?? [])}</div>
    <details class="screen">
      <summary>The other names, prompt by prompt</summary>
      ${prompts.map((prompt) => promptDetails(brand.name, prompt))}
    </details>
    <p class="soft paper">The page on screen also has the other names of each prompt.</p>`;
}

/** What the placements mean, in their colours. */
export const placements = markup`<p class="legend">
  <span class="heat core">core</span> named in at least ${CORE_PERCENT} % of the cycles.
  <span class="heat emerging">emerging</span> ${EMERGING_PERCENT} % to under ${CORE_PERCENT} %.
  <span class="heat carousel">carousel</span> less: the name comes and goes. <span class="heat absent">absent</span>
  never named.
</p>`;

function signsText(newest: string): Html {
  return markup`<p>▲ won in the week of ${newest}: named then, but not in the cycle before. ▼ lost: the other way round.</p>`;
}

function heatMap(brand: string, prompts: Stability['prompts'], wonAndLost: readonly WonOrLost[]): Html {
  const slugs = [...new Set(prompts.flatMap(({ engines }) => engines.map(({ slug }) => slug)))].toSorted();
  const changes = new Map(wonAndLost.map(({ promptId, slug, change }) => [`${promptId} ${slug}`, change]));
  return table(
    `Where answers name ${isolatedName(brand)}: percent of the weekly cycles`,
    [{ name: 'Prompt' }, ...slugs.map((slug) => ({ name: engineName(slug) }))],
    prompts.map(({ promptId, promptText, engines }) => [
      promptText,
      ...slugs.map((slug) => {
        const engine = engines.find((each) => each.slug === slug);
        return engine === undefined ? null : cellOf(engine, changes.get(`${promptId} ${slug}`));
      }),
    ]),
    { printedRows: PRINTED_PROMPTS },
  );
}

function cellOf(engine: Engine, change: 'won' | 'lost' | undefined): Html {
  const { brandPlacement, brandStability, isWarmingUp } = engine;
  const number = brandPlacement === 'absent' ? 'absent' : String(roundDouble(brandStability * 100, 1));
  const sign = change === undefined ? '' : change === 'won' ? ' ▲' : ' ▼';
  return markup`<span class="heat ${trusted(brandPlacement)}" title="${brandPlacement}${change === undefined ? '' : `, ${change}`}">${isWarmingUp ? `(${number})` : number}${sign}</span>`;
}

function promptDetails(brand: string, { promptText, engines }: Stability['prompts'][number]): Html {
  return markup`<details>
    <summary>${nameOf(promptText)}</summary>
    ${table(
      `Who is named for “${isolatedName(promptText)}”`,
      [
        { name: 'Engine' },
        { name: 'Cycles', isNumber: true },
        { name: brand },
        { name: 'Core' },
        { name: 'All other names (carousel)' },
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

function placementText({ brandPlacement, brandStability, isWarmingUp }: Engine): string {
  const text = brandPlacement === 'absent' ? 'absent' : `${brandPlacement} ${share(brandStability)}`;
  return isWarmingUp ? `(${text})` : text;
}

function names(list: Engine['core']): Html {
  if (list.length === 0) return markup`–`;
  const each = list.map(({ entity, stability }, index) => {
    return markup`<span>${nameOf(entity)} ${share(stability)}${index < list.length - 1 ? ',' : ''}</span> `;
  });
  return markup`<div class="names">${each}</div>`;
}

/** With one decimal: 0.6957 is not core, and must not be shown as 70 %. */
function share(stability: number): string {
  return `${roundDouble(stability * 100, 1)}\u00a0%`;
}
