import type { DropRecords } from './drop-schema.ts';

export interface LastWeek {
  brandId: string;
  engine: string;
  score: number;
  low: number;
  high: number;
}

/** Methodology, Visibility, once more and by itself: the last score and its drift band, wherever there is one. */
export function lastWeeks(runs: DropRecords['runs']): LastWeek[] {
  return [...seriesOf(runs)].flatMap(([key, series]) => {
    const [brandId, engine] = key.split(' ') as [string, string];
    const scores = series.map(([answered, named]) => Math.round((1000 * named) / answered) / 10);
    const priors = scores.slice(0, -1).slice(-12);
    const k = priors.length;
    if (k < 4) return [];
    const m = priors.reduce((a, b) => a + b, 0) / k;
    const s = Math.sqrt(priors.reduce((sum, score) => sum + (score - m) ** 2, 0) / (k - 1));
    const [n] = series.at(-1)!;
    const p = ((n * m) / 100 + 2) / (n + 4);
    const e = 100 * Math.sqrt((p * (1 - p)) / (n + 4));
    const half = Math.max(student[k - 1]! * s, 1.96 * e) * Math.sqrt(1 + 1 / k);
    return [{ brandId, engine, score: scores.at(-1)!, low: m - half, high: m + half }];
  });
}

const student = [0, 0, 0, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];

/** Answered and named prompts, week by week, by brand and engine. A demo has one run per prompt, engine and week. */
function seriesOf(runs: DropRecords['runs']): Map<string, [number, number][]> {
  const weeks = new Map<string, Map<string, [number, number]>>();
  for (const run of runs.filter(({ status }) => status === 'success')) {
    const key = `${run.brand_id} ${run.engine}`;
    const series = weeks.get(key) ?? new Map<string, [number, number]>();
    const [answered, named] = series.get(run.cycle_date) ?? [0, 0];
    const isNamed = run.mentions.some(({ subject }) => subject === 'brand');
    weeks.set(key, series.set(run.cycle_date, [answered + 1, named + Number(isNamed)]));
  }
  return new Map(
    [...weeks].map(([key, series]) => [key, [...series].toSorted(byDate).map(([, counts]) => counts)]),
  );
}

function byDate([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
