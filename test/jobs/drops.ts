import { refusedLines, runOf, runsOf, trackingOf } from './remove/customers.ts';
import { citation, idOf, mention, runId, sound, tracked } from './records.ts';
import type { Fields, Files } from './records.ts';

const run = (n: number, cycle: string, given: Fields = {}) =>
  sound.runs({
    id: runId(n),
    cycle_date: cycle,
    ran_at: `${cycle}T08:00:00Z`,
    mentions: n % 2 ? [mention()] : [],
    ...given,
  });

/** Two workspaces, one brand with two weeks of runs and a prompt that no engine ran, and a line that is refused. */
const weekly: Record<string, Files> = {
  drop: {
    ...tracked,
    'workspaces.ndjson': [sound.workspaces(), sound.workspaces({ id: idOf('a', 2) })],
    'prompts.ndjson': [sound.prompts(), sound.prompts({ id: idOf('d', 2) })],
    'runs.ndjson': [run(1, '2026-11-02'), run(2, '2026-11-09'), '{'],
  },
  orphans: {
    'brands.ndjson': [sound.brands(), sound.brands({ id: idOf('b', 2), workspace_id: idOf('a', 3) })],
    'competitors.ndjson': [sound.competitors({ brand_id: runId(9) })],
    'prompts.ndjson': [
      sound.prompts(),
      sound.prompts({ id: idOf('d', 2) }),
      sound.prompts({ id: idOf('d', 3), brand_id: runId(9) }),
    ],
    'runs.ndjson': [
      run(3, '2026-11-09', { brand_id: runId(9) }),
      run(4, '2026-11-09', { ran_at: '2026-12-01T00:00:00Z' }),
    ],
  },
};

/** Workspaces with so many brands each. */
function countsOf(...counts: readonly number[]): Files {
  const brands = counts.flatMap((count, index) =>
    Array.from({ length: count }, (_, n) =>
      sound.brands({ id: idOf('b', 10 * index + n), workspace_id: idOf('a', index + 1) }),
    ),
  );
  return {
    'workspaces.ndjson': counts.map((_, index) => sound.workspaces({ id: idOf('a', index + 1) })),
    'brands.ndjson': brands,
  };
}

const { 'workspaces.ndjson': threeWorkspaces } = countsOf(1, 2, 1);
const unpublished: Record<string, Files> = {
  all: countsOf(1, 6, 1, 1),
  half: countsOf(1, 3, 1, 1),
  third: countsOf(1, 1, 1, 1),
  three: { 'workspaces.ndjson': threeWorkspaces! },
};

/** The brands of workspace 1 and so on, by what they show. */
const [mondays, thursdays, stopped, added, alone, late, fresh, silent, paused] = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const brandsOf = [[alone], [mondays, thursdays, stopped, added], [late], [fresh], [silent], [paused], []];

/** The last but one prompt of a brand is paused; the last was added when the newest Thursday began. */
const promptsOf = (brand: number) =>
  [0, 1, 2, 3, 4, 5].map((n) =>
    sound.prompts({
      id: idOf('d', 10 * brand + n),
      brand_id: idOf('b', brand),
      is_active: n !== 4 && brand !== paused,
      created_at: n === 5 ? '2026-11-12T00:00:00Z' : '2026-01-06T09:30:00Z',
    }),
  );

let runs = 0;
const ran = (brand: number, date: string, engine: string, prompts: readonly number[], given: Fields = {}) =>
  prompts.map((n) =>
    sound.runs({
      id: runId(++runs),
      brand_id: idOf('b', brand),
      prompt_id: idOf('d', 10 * brand + n),
      engine,
      cycle_date: date,
      ran_at: `${date}T03:00:00Z`,
      ...given,
    }),
  );
const both = (brand: number, date: string, prompts: readonly number[]) =>
  ['chatgpt', 'perplexity'].flatMap((engine) => ran(brand, date, engine, prompts));

const all = [0, 1, 2, 3];
const earlier = [
  ...['2026-10-26', '2026-11-02', '2026-11-09'].flatMap((date) =>
    [mondays, stopped, alone, late].flatMap((brand) => both(brand, date, all)),
  ),
  ...['2026-10-29', '2026-11-05'].flatMap((date) => both(thursdays, date, all)),
  ...ran(mondays, '2026-10-12', 'claude', all), // five weeks ago: not expected any more
  ...[silent, paused].flatMap((brand) => ran(brand, '2026-09-07', 'perplexity', [0])),
];
/** Monday 16: one brand whole with failed runs, one with half of one engine, one silent, one for the first time. */
const newest = [
  ...both(thursdays, '2026-11-12', all),
  ...both(alone, '2026-11-16', [...all, 5]),
  ...ran(mondays, '2026-11-16', 'chatgpt', [...all, 5], { status: 'failed' }),
  ...ran(mondays, '2026-11-16', 'perplexity', [0, 1, 1, 4]),
  ...[added, fresh].flatMap((brand) => both(brand, '2026-11-16', [0])),
  ...both(late, '2026-11-16', [1, 2, 3, 5]),
  ...ran(late, '2026-11-16', 'chatgpt', [0], { ran_at: '2026-11-16T03:00:01Z' }),
  ...ran(late, '2026-11-16', 'perplexity', [0]),
];

const completeness: Files = {
  'workspaces.ndjson': brandsOf.map((_, n) => sound.workspaces({ id: idOf('a', n + 1) })),
  'brands.ndjson': brandsOf.flatMap((own, n) =>
    own.map((brand) =>
      sound.brands({ id: idOf('b', brand), workspace_id: idOf('a', n + 1), name: `Brand ${brand}` }),
    ),
  ),
  'prompts.ndjson': brandsOf.flat().flatMap(promptsOf),
  'runs.ndjson': [...earlier, ...newest],
};

const BRANDS = 6;
const weeks = ['2026-10-12', '2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'];
/**
 * Each brand is named in two of three prompts on both engines, in the newest week in one of three on gemini, where another
 * model answers for all brands but one. The first two brands get other numbers of answers on chatgpt then: 6 of 5, and 2.
 */
const shiftedRuns = weeks.flatMap((date, week) =>
  Array.from({ length: BRANDS }, (_, brand) => brand).flatMap((brand) =>
    ['chatgpt', 'gemini'].flatMap((engine) =>
      Array.from({ length: 12 }, (_, prompt) => prompt).flatMap((prompt) => {
        const isNewest = date === weeks.at(-1);
        const isChanged = isNewest && engine === 'gemini';
        const usual = brand === 0 && engine === 'chatgpt' ? 5 : 1;
        const answers = isNewest && engine === 'chatgpt' && brand < 2 ? usual + 1 : usual;
        const isNamed = (prompt + week + brand) % 3 < (isChanged ? 1 : 2);
        return Array.from({ length: answers }, () =>
          sound.runs({
            id: runId(++runs),
            brand_id: idOf('b', brand),
            prompt_id: idOf('d', prompt),
            engine,
            cycle_date: date,
            ran_at: `${date}T01:00:00Z`,
            model: isChanged && brand > 0 ? 'm-2' : 'm-1',
            mentions: isNamed ? [mention({ name: 'B', sentiment: null })] : [],
          }),
        );
      }),
    ),
  ),
);

const changes: Files = {
  'workspaces.ndjson': [sound.workspaces()],
  'brands.ndjson': Array.from({ length: BRANDS }, (_, n) =>
    sound.brands({ id: idOf('b', n), name: `Brand ${n}` }),
  ),
  'prompts.ndjson': [sound.prompts({ brand_id: idOf('b', 0) })],
  'runs.ndjson': shiftedRuns,
};

const bad = ['{', '{', sound.runs({ engine: 'bing' })];
const ingest: Record<string, Files> = {
  good: { ...tracked, 'runs.ndjson': [run(1, '2026-11-09'), run(2, '2026-11-09'), ...bad] },
  doubtful: {
    'brands.ndjson': [sound.brands({ name: 'New' }), '{'],
    'competitors.ndjson': '',
    'runs.ndjson': ['{'],
  },
  empty: {
    'brands.ndjson': JSON.stringify([sound.brands()]),
    'competitors.ndjson': '\n \r\n',
    'prompts.ndjson': '\ufeff',
  },
  repeated: {
    'runs.ndjson': [
      run(1, '2026-11-09'),
      run(2, '2026-11-09', { citations: [citation()] }),
      run(3, '2026-11-09'),
    ],
  },
};

/** The drops of each session, by their folders. */
export const drops: Record<string, Record<string, Files>> = {
  'changes.txt': { drop: changes },
  'completeness.txt': { drop: completeness },
  'ingest.txt': ingest,
  'remove.txt': {
    week: { ...trackingOf(), ...runsOf('2026-11-02'), 'runs-refused.ndjson': refusedLines() },
    alone: { 'runs.ndjson': [runOf('2026-11-03', 1)] },
  },
  'new-lake.txt': { drop: { ...tracked, 'runs.ndjson': [run(1, '2026-11-09')] } },
  'unpublished.txt': unpublished,
  'schedule.txt': weekly,
  'weekly.txt': weekly,
};
