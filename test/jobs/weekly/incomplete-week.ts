import { runId, sound } from '../records.ts';
import type { Fields } from '../records.ts';

export const id = (kind: string, n: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const whole = id('a', 1);
export const half = id('a', 2);
/** Of the second workspace: one that has its cycle on Thursdays, one that stopped, and one that has just come. */
export const [mondays, thursdays, stopped, added, alone] = [1, 2, 3, 4, 5].map((n) => id('b', n)) as Five;
type Five = [string, string, string, string, string];
const brands = [mondays, thursdays, stopped, added, alone];

const PROMPTS = 4;
const promptOf = (brand: string, n: number) => id('d', brands.indexOf(brand) * 10 + n);

/** The last but one prompt is paused; the last was added on the Friday before the newest Monday. */
function promptsOf(brand: string): Fields[] {
  return Array.from({ length: PROMPTS + 2 }, (_, n) =>
    sound.prompts({
      id: promptOf(brand, n),
      brand_id: brand,
      is_active: n !== PROMPTS,
      created_at: n > PROMPTS ? '2026-11-13T10:00:00Z' : '2026-01-06T09:30:00Z',
    }),
  );
}

let runs = 0;
function cycle(brand: string, date: string, engine: string, prompts: readonly number[], status = 'success') {
  const common = { brand_id: brand, engine, cycle_date: date, ran_at: `${date}T03:00:00Z`, status };
  return prompts.map((n) => sound.runs({ ...common, id: runId(++runs), prompt_id: promptOf(brand, n) }));
}

const all = [0, 1, 2, 3];
const engines = ['chatgpt', 'perplexity'];
export const ofEngines = (brand: string, date: string, prompts: readonly number[]) =>
  engines.flatMap((engine) => cycle(brand, date, engine, prompts));

export const earlier = [
  ...['2026-10-26', '2026-11-02', '2026-11-09'].flatMap((date) =>
    [mondays, stopped, alone].flatMap((brand) => ofEngines(brand, date, all)),
  ),
  ...['2026-10-29', '2026-11-05'].flatMap((date) => ofEngines(thursdays, date, all)),
  ...cycle(mondays, '2026-10-12', 'claude', all), // five weeks ago: not expected any more
];

/** Monday 16: one brand whole with failed runs, one with half of one engine, one silent, one for the first time. */
export const newest = [
  ...ofEngines(thursdays, '2026-11-12', all),
  ...ofEngines(alone, '2026-11-16', [...all, 5]),
  ...cycle(mondays, '2026-11-16', 'chatgpt', [...all, 5], 'failed'),
  ...cycle(mondays, '2026-11-16', 'perplexity', [0, 1, 1, 4]),
  ...ofEngines(added, '2026-11-16', [0]),
];

export const tracking = {
  'workspaces.ndjson': [sound.workspaces({ id: whole }), sound.workspaces({ id: half })],
  'brands.ndjson': brands.map((brand) =>
    sound.brands({
      id: brand,
      name: `Brand ${brand.slice(-1)}`,
      workspace_id: brand === alone ? whole : half,
    }),
  ),
  'prompts.ndjson': brands.flatMap(promptsOf),
};
