import { writeFileSync } from 'node:fs';

/** Preloaded into a measured process: says at its end what it took. */
process.on('exit', () => {
  const file = process.env['BENCH_USAGE_FILE'];
  if (file === undefined) return;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(file, JSON.stringify({ maxRSS, cpu: (userCPUTime + systemCPUTime) / 1e6 }));
});
