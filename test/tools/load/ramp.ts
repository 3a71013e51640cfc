import type { Report } from './report.ts';
import type { Limit } from './verdict.ts';

export interface Ramp {
  /** In the order of the tests. */
  steps: Report[];
  /** Requests a second; null if the first rate missed an objective already. */
  highest: number | null;
  limit: Limit | 'allowance';
  /** The limit in words. */
  reason: string;
}

/** The search ends when the lowest rate that failed is at most this much above the highest that passed. */
const CLOSE_ENOUGH = 1.1;

/**
 * Finds the highest rate that keeps the objectives: doubles the rate until one is missed, then searches between. A rate
 * has failed if it failed twice, so that one hiccup of a machine does not end the search.
 * @param most the rate that the allowances cover
 */
export async function findHighestRate(
  firstRate: number,
  most: { rate: number; reason: string },
  test: (rate: number) => Promise<Report>,
): Promise<Ramp> {
  const steps: Report[] = [];
  const testTwice = async (rate: number): Promise<Report> => {
    const first = await test(rate);
    steps.push(first);
    if (first.passed) return first;
    const second = await test(rate);
    steps.push(second);
    return second;
  };
  let highest: number | null = null;
  let failed: Report | null = null;
  for (let rate = firstRate; ;) {
    const report = await testTwice(rate);
    if (report.passed) highest = rate;
    else failed = report;
    if (highest === null || (failed !== null && failed.wantedRate <= highest * CLOSE_ENOUGH)) break;
    if (failed === null && highest === most.rate) break;
    rate =
      failed === null ? Math.min(highest * 2, most.rate) : Math.round(Math.sqrt(highest * failed.wantedRate));
    if (rate === highest || rate === failed?.wantedRate) break;
  }
  return failed === null
    ? { steps, highest, limit: 'allowance', reason: most.reason }
    : { steps, highest, limit: failed.limit!, reason: failed.reason };
}
