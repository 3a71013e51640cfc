import { Command } from 'commander';
import { readConfig } from '../../lib/config.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { Failure } from '../../lib/failure.ts';
import { openLake } from '../../lib/store/lake.ts';
import { openStore } from '../../lib/store/open.ts';
import { cachedLake } from '../lake/cache.ts';
import { lakeOption, storeOption, wholeNumber } from '../options.ts';
import { readRecipe, recompute } from './recompute.ts';

interface Options {
  lake: StoreLocation;
  manifest: string;
  store: StoreLocation;
  threads?: number;
  json?: true;
}

export function recomputeCommand(): Command {
  return new Command('recompute')
    .description('compute a published snapshot again, from the lake objects that its manifest names')
    .addOption(lakeOption())
    .requiredOption('--manifest <file>', 'JSON with the manifest of the snapshot and its list of inputs')
    .addOption(storeOption().makeOptionMandatory().default(undefined))
    .option('--threads <n>', "DuckDB's threads (default: one for each core)", wholeNumber(1))
    .option('--json', 'print the result as JSON')
    .action(async ({ lake, manifest, store, threads, json }: Options) => {
      const report = await recompute(
        { lake: cachedLake(await openLake(lake), readConfig().LAKE_CACHE), store: openStore(store), threads },
        await readRecipe(manifest),
      );
      if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else if (report.snapshotId !== null) process.stdout.write(`${report.snapshotId}\n`);
      if (report.snapshotId !== null) return;
      if (!json) throw new Failure(describe(report.missing, report.changed));
      process.exitCode = 1;
    });
}

function describe(missing: readonly string[], changed: readonly string[]): string {
  const parts = [...missing.map((key) => `${key} is missing`), ...changed.map((key) => `${key} has changed`)];
  const others = parts.slice(3);
  const more = others.length === 0 ? '' : ` and ${others.length} more (--json names them all)`;
  return `the snapshot cannot be computed again: ${parts.slice(0, 3).join(', ')}${more}`;
}
