import { Command } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import type { Progress } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { isDate } from '../../lib/instant.ts';
import { openStore } from '../../lib/store/open.ts';
import { lakeOption } from '../options.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { ingest } from './ingest.ts';
import type { IngestReport } from './report.ts';

interface Options {
  from: string;
  lake: StoreLocation;
  date?: string;
  strict?: true;
  json?: true;
}

export function ingestCommand(): Command {
  return new Command('ingest')
    .description('take a drop of measurements into the lake')
    .requiredOption('--from <drop>', 'the folder that upstream delivered')
    .addOption(lakeOption())
    .option(
      '--date <YYYY-MM-DD>',
      'the tracking date of brands, competitors, prompts, workspaces (default: today, UTC)',
    )
    .option(
      '--strict',
      'exit with status 1 when a record was refused, now or when its file came first (the same is taken in)',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options, command: Command) => {
      const date = options.date ?? new Date(systemClock.now()).toISOString().slice(0, 10);
      if (!isDate(date)) command.error(`error: --date ${date} is not a date (YYYY-MM-DD)`);
      const report = await withProgress(options, date);
      if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else printReport(report);
      if (options.strict && hasRefused(report)) process.exitCode = 1;
    });
}

/** A job that is run again because it failed must not pass, only because the file is known by now. */
function hasRefused({ refusals, files }: IngestReport): boolean {
  return refusals.length > 0 || files.some(({ refusedBefore }) => refusedBefore > 0);
}

const HELP = `
A drop is a folder with any of workspaces, brands, competitors, prompts and runs*, each as .ndjson, .ndjson.gz or
.parquet. Records that break the contract are refused one by one and kept, with file, line and reason, in the lake's
rejects/; everything else is taken in. Delivering a file twice changes nothing.`;

async function withProgress(options: Options, date: string): Promise<IngestReport> {
  let bar: Progress | undefined;
  try {
    return await ingest(
      { from: options.from, lake: openStore(options.lake), date },
      {
        clock: systemClock,
        onStart: (bytes) => (bar = progressBar('ingest, MB', Math.ceil(bytes / 1e6))),
        onBytes: (bytes) => bar?.increment(bytes / 1e6),
      },
    );
  } finally {
    bar?.stop();
  }
}

function printReport(report: IngestReport): void {
  const { stdout } = process;
  printTable(
    report.files.map(({ file, taken, repeated, refused, known, refusedBefore }) => ({
      file,
      taken,
      repeated,
      refused,
      note: known ? `delivered before${refusedBefore > 0 ? `, ${refusedBefore} refused then` : ''}` : '',
    })),
  );
  for (const file of report.ignored) stdout.write(`${file} is no drop file and was left alone\n`);
  if (report.delivery === null) stdout.write('\nNothing new: every file was delivered before.\n');
  if (report.refusals.length === 0) return;
  stdout.write('\n');
  printTable(report.refusals.map(({ reason, records }) => ({ 'refused because': reason, records })));
  stdout.write(`\nThe refused records are kept in ${report.rejects} of the lake.\n`);
}
