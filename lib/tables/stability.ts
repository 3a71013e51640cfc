import type { Stability } from '../documents/stability.ts';
import type { BrandInSnapshot } from './table.ts';
import { defineTable } from './table.ts';

type Prompt = Stability['prompts'][number];
type OnEngine = Prompt['engines'][number] & Pick<Prompt, 'promptId' | 'promptText'>;

export const stability = defineTable<OnEngine>({
  name: 'stability',
  row: 'One row for each brand, active prompt and engine that answered it.',
  from: ['stability'],
  rowsOf: onEngines,
  columns: [
    ['prompt_id', 'text', 'UUID', ({ promptId }) => promptId],
    ['prompt_text', 'text', 'the question', ({ promptText }) => promptText],
    ['engine', 'text', 'slug of the engine', ({ slug }) => slug],
    ['cycles_observed', 'integer', 'cycles in which the engine answered it', (row) => row.cyclesObserved],
    ['is_warming_up', 'boolean', 'too few cycles; the placement is provisional', (row) => row.isWarmingUp],
    ['brand_placement', 'text', '`core`, `emerging`, `carousel` or `absent`', (row) => row.brandPlacement],
    ['brand_stability', 'number', "the brand's share of the cycles, 0 to 1", (row) => row.brandStability],
    ['core_names', 'integer', 'names in the core', ({ core }) => core.length],
    ['carousel_names', 'integer', 'other names', ({ carousel }) => carousel.length],
  ],
});

interface Name {
  on: OnEngine;
  rank: number;
  entity: string;
  stability: number;
}

export const stabilityNames = defineTable<Name>({
  name: 'stability_names',
  row: 'One row for each brand, active prompt, engine and name in its answers. By far the largest table.',
  from: ['stability'],
  rowsOf: (given) =>
    onEngines(given).flatMap((on) =>
      [...on.core, ...on.carousel].map((name, index) => ({ on, rank: index + 1, ...name })),
    ),
  columns: [
    ['prompt_id', 'text', 'UUID', ({ on }) => on.promptId],
    ['engine', 'text', 'slug of the engine', ({ on }) => on.slug],
    ['rank', 'integer', 'place in core and carousel together, from 1', ({ rank }) => rank],
    ['name', 'text', 'as the engine wrote it', ({ entity }) => entity],
    [
      'is_core',
      'boolean',
      'true: in the core; false: in the carousel',
      ({ on, rank }) => rank <= on.core.length,
    ],
    ['stability', 'number', 'share of the cycles with the name, 0 to 1', (row) => row.stability],
    [
      'cycles',
      'integer',
      'the number of these cycles',
      (row) => Math.round(row.stability * row.on.cyclesObserved),
    ],
  ],
});

function onEngines({ documents }: BrandInSnapshot): OnEngine[] {
  return (documents.stability?.prompts ?? []).flatMap(({ promptId, promptText, engines }) =>
    engines.map((engine) => ({ promptId, promptText, ...engine })),
  );
}
