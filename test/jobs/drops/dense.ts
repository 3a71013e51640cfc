import * as fc from 'fast-check';
import { seededRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import type { Drop } from './drops.ts';
import { idOf } from './records.ts';

/** What a drop of one brand is made of: enough prompts and weeks for every verdict. */
export const denseDrops: fc.Arbitrary<Drop> = fc
  .record({
    seed: fc.nat(),
    prompts: fc.integer({ min: 15, max: 40 }),
    cycles: fc.integer({ min: 5, max: 16 }),
    /** The chance that a prompt is not asked on an engine in a week. */
    missing: fc.constantFrom(0, 0.1, 0.5),
    /** The chance that a run gets no answer. */
    silent: fc.constantFrom(0, 0.1),
    domain: fc.constantFrom('https://www.brand.example/', 'brand.example', 'ftp://brand.example', ''),
  })
  .map(dropOf);

interface Setting {
  seed: number;
  prompts: number;
  cycles: number;
  missing: number;
  silent: number;
  domain: string;
}

const DAY_MS = 86_400_000;
const created_at = '2026-01-05T09:30:00Z';
const engines = ['ai_mode', 'chatgpt', 'gemini', 'perplexity'];

/** Each engine has a habit of its own in the newest weeks: as before, named less often or not at all, or without answers. */
function dropOf({ seed, prompts, cycles, missing, silent, domain }: Setting): Drop {
  const random = seededRandom(seed);
  const brand = {
    id: idOf('brand', 0),
    workspace_id: idOf('workspace', 0),
    name: 'Brand',
    domain,
    created_at,
  };
  const rivals = [0, 1].map((n) => ({ id: idOf('competitor', n), brand_id: brand.id, name: 'Rival' }));
  const tracked = Array.from({ length: prompts }, (_, n) => {
    return {
      id: idOf('prompt', n),
      brand_id: brand.id,
      text: `Question ${n}?`,
      is_active: n % 9 > 0,
      created_at,
    };
  });
  const chances = tracked.map(() => random() ** 2);
  const runs = engines.flatMap((engine) => {
    const recent = [1, 1, 0.4, 0][Math.floor(random() * 4)]!;
    const lastCycle = random() < 0.3 ? Math.floor(random() * 3) : 0;
    return tracked.flatMap(({ id }, n) =>
      Array.from({ length: cycles }, (_, age) => age).flatMap((age) => {
        if (random() < missing) return [];
        const chance = chances[n]! * (age < 4 ? recent : 1);
        const isSilent = age < lastCycle || random() < silent;
        return [runOf(random, { prompt_id: id, engine, age, chance, isSilent, rivals })];
      }),
    );
  });
  const numbered = runs.map((run, n) => ({ id: idOf('run', n), brand_id: brand.id, ...run }));
  const workspace = { id: brand.workspace_id, name: 'Workspace', created_at };
  const files = {
    workspaces: [workspace],
    brands: [brand],
    competitors: rivals,
    prompts: tracked,
    runs: numbered,
  };
  const bytes = Object.entries(files).map(([name, records]) => [
    `${name}.ndjson`,
    Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  ]);
  return {
    date: '2026-11-16',
    files: Object.fromEntries(bytes) as Drop['files'],
    partialTracking: false,
    emptyTracking: false,
  };
}

interface RunSetting {
  prompt_id: string;
  engine: string;
  age: number;
  chance: number;
  isSilent: boolean;
  rivals: readonly { id: string; name: string }[];
}

function runOf(random: Random, { prompt_id, engine, age, chance, isSilent, rivals }: RunSetting) {
  const cycle = new Date(Date.UTC(2026, 10, 14) - age * 7 * DAY_MS).toISOString().slice(0, 10);
  const head = { prompt_id, engine, cycle_date: cycle, ran_at: `${cycle}T08:00:00Z` };
  if (isSilent) return { ...head, status: 'no_answer' };
  const named = [
    ...(random() < chance ? [{ name: 'Brand', subject: 'brand' }] : []),
    ...rivals.flatMap(({ id, name }) =>
      random() < 0.3 ? [{ name, subject: 'competitor', competitor_id: id }] : [],
    ),
  ];
  const hosts = ['blog.brand.example', 'brand.example', 'other.example'].filter(() => random() < 0.1);
  return {
    ...head,
    status: 'success',
    mentions: named.map((mention, index) => ({ ...mention, position: index + 1, sentiment: null })),
    citations: hosts.map((host) => ({ url: `https://${host}/`, source_type: 'other' })),
  };
}
