import { writeFileSync } from 'node:fs';

/** Preloaded into a measured process: prints its resource usage at its end. */
process.on('exit', () => {
  const file = process.env['BENCH_USAGE_FILE'];
  if (file === undefined) return;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(file, JSON.stringify({ maxRSS, cpu: (userCPUTime + systemCPUTime) / 1e6 }));
});
