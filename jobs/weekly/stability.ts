import type { Placement, Stability } from '../../lib/documents/index.ts';
import { roundRatio } from '../../lib/exact.ts';
import { CORE_SIZE, MIN_CYCLES } from '../../lib/methodology.ts';
import type { BrandRows, Entities, StabilityRow } from './rows.ts';

type StablePrompt = Stability['prompts'][number];

/** The `data` of the stability document, without its brand (spec 2.5; methodology, Stability). */
export function stabilityOf({ stability, entities }: BrandRows): Omit<Stability, 'brand'> {
  const prompts: StablePrompt[] = [];
  for (const row of stability) {
    let prompt = prompts.at(-1);
    if (prompt?.promptId !== row.prompt_id) {
      prompt = { promptId: row.prompt_id, promptText: row.prompt_text, engines: [] };
      prompts.push(prompt);
    }
    prompt.engines.push(engineOf(row, entities));
  }
  return { minCycles: MIN_CYCLES, prompts };
}

function engineOf(row: StabilityRow, entities: Entities): StablePrompt['engines'][number] {
  const observed = row.cycles_observed;
  let inCore = 0;
  const listed = row.names.map((packed) => {
    const missed = Math.floor(packed / 2 ** 31);
    if (inCore < CORE_SIZE && isCore(observed - missed, observed)) inCore++;
    return { entity: entities[packed % 2 ** 31]!, stability: roundRatio(observed - missed, observed, 4) };
  });
  return {
    slug: row.engine,
    cyclesObserved: observed,
    isWarmingUp: observed < MIN_CYCLES,
    brandPlacement: placementOf(row.brand_cycles, observed),
    brandStability: roundRatio(row.brand_cycles, observed, 4),
    core: listed.slice(0, inCore),
    carousel: listed.slice(inCore),
  };
}

/** Classes are decided on counts, never on a rounded share: 70 % and 40 % are exact. */
function placementOf(cycles: number, observed: number): Placement {
  if (cycles === 0) return 'absent';
  if (isCore(cycles, observed)) return 'core';
  return 10 * cycles >= 4 * observed ? 'emerging' : 'carousel';
}

function isCore(cycles: number, observed: number): boolean {
  return 10 * cycles >= 7 * observed;
}
