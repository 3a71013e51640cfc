import { printTable } from '../../../../lib/cli.ts';
import type { Sample } from './round.ts';

/** The median of a contender's rounds, compared with the bare route. */
export interface Judgement extends Sample {
  /** Requests per second as a share of the bare route's. */
  ofBare: number;
  /** p99 as a multiple of the bare route's. */
  p99OfBare: number;
}

/** The least share of the bare route's requests per second, with the usual connections and one key. */
const LEAST_OF_BARE: Record<string, number> = { sqlite: 0.7, postgres: 0.5 };
/** The most that its p99 may be, as a multiple of the bare route's. */
const MOST_P99_OF_BARE = 3;

/** A line for each objective that was missed. */
export function missedObjectives(judgements: readonly Judgement[]): string[] {
  return judgements.flatMap(({ name, ofBare, p99OfBare }) => {
    const least = LEAST_OF_BARE[name];
    if (least === undefined) return [];
    const share = `${name}: ${Math.round(ofBare * 100)} % of bare, objective ${least * 100} %`;
    const wait = `${name}: p99 is ${p99OfBare.toFixed(1)} times that of bare, objective ${MOST_P99_OF_BARE}`;
    return [...(ofBare < least ? [share] : []), ...(p99OfBare > MOST_P99_OF_BARE ? [wait] : [])];
  });
}

export function judge(samples: readonly Sample[]): Judgement[] {
  const byName = Map.groupBy(samples, ({ name }) => name);
  const medians = [...byName.values()].map(medianOf);
  const bare = medians.find(({ name }) => name === 'bare')!;
  return medians.map((sample) => ({
    ...sample,
    ofBare: sample.rate / bare.rate,
    p99OfBare: sample.p99 / bare.p99,
  }));
}

function medianOf(rounds: readonly Sample[]): Sample {
  const median = (pick: (sample: Sample) => number | null) => {
    const values = rounds.map(pick).filter((value) => value !== null);
    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
  };
  return {
    ...rounds[0]!,
    rate: median(({ rate }) => rate)!,
    p50: median(({ p50 }) => p50)!,
    p99: median(({ p99 }) => p99)!,
    p999: median(({ p999 }) => p999)!,
    wrong: rounds.reduce((sum, { wrong }) => sum + wrong, 0),
    cpuPer10k: median(({ cpuPer10k }) => cpuPer10k),
    residentBytes: median(({ residentBytes }) => residentBytes),
  };
}

export function printReport(
  judgements: readonly Judgement[],
  conditions: Record<string, unknown>,
  json: boolean,
) {
  if (json) {
    process.stdout.write(`${JSON.stringify({ conditions, results: judgements }, null, 2)}\n`);
    return;
  }
  printTable(
    judgements.map((judgement) => ({
      name: judgement.name,
      'requests/s': Math.round(judgement.rate),
      'of bare': `${Math.round(judgement.ofBare * 100)} %`,
      'p50 ms': judgement.p50.toFixed(2),
      'p99 ms': judgement.p99.toFixed(2),
      'p99.9 ms': judgement.p999.toFixed(2),
      'p99 of bare': judgement.p99OfBare.toFixed(1),
      'CPU s/10k': judgement.cpuPer10k?.toFixed(2) ?? null,
      'MB resident': judgement.residentBytes === null ? null : Math.round(judgement.residentBytes / 1e6),
      wrong: judgement.wrong,
    })),
  );
  process.stdout.write(`\n${judgements.map(({ name, what }) => `${name}: ${what}`).join('\n')}\n`);
  process.stdout.write(`${JSON.stringify(conditions)}\n`);
}
