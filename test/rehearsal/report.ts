import type { Minute, Outage, Verdict } from './judge.ts';

/**
 * Prints the measurements to the log of the tests.
 * @param troubles the errors in the gateways' logs; the last one is printed if an error is not explained
 */
export function say(
  { requests, errors, during, statuses, served, unexplained }: Verdict,
  minutes: readonly Minute[],
  outages: readonly Outage[],
  troubles: readonly string[],
  seconds: number,
): void {
  const share = ((100 * errors) / requests).toFixed(2);
  const counts = Object.entries(statuses).map(([status, times]) => `${status} × ${times}`);
  const lines = [
    `rehearsal: ${requests} requests in ${seconds.toFixed(0)} s, ${errors} answered with 500 or not at all (${share} %)`,
    `statuses: ${counts.join(', ')}; documents of last week, of this, and of this when it was complete: ${served.join(', ')}`,
    ...outages.map(
      ({ what, from, to }, index) =>
        `${what}: ${((to - from) / 1000).toFixed(1)} s until all parts responded, ${during[index] ?? 0} errors`,
    ),
    `the limited workspace was given, by the minute: ${minutes.map(({ given }) => given).join(', ')}`,
    ...(unexplained.length > 0 ? troubles.slice(-20) : []),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}
