import { Command } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import { lakeOption } from '../options.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { ingest } from './ingest.ts';
import type { IngestOptions } from './ingest.ts';
import { makeLake, openLakeOrEmpty } from './new-lake.ts';
import { REJECTS_KEPT } from './report.ts';
import type { FileReport, IngestReport } from './report.ts';

interface Options {
  from?: string;
  lake: StoreLocation;
  newLake?: true;
  date?: string;
  strict?: true;
  partialTracking?: true;
  emptyTracking?: true;
  json?: true;
}

export function ingestCommand(): Command {
  return new Command('ingest')
    .description('validate a drop of measurements and write it to the lake')
    .option('--from <drop>', 'the folder with the files of the drop')
    .addOption(lakeOption())
    .option('--new-lake', 'make the lake before; without --from, only make it')
    .option(
      '--date <YYYY-MM-DD>',
      'the tracking date of workspaces, brands, competitors, prompts, events, at most a day ahead (default: today, UTC)',
    )
    .option(
      '--strict',
      'exit with status 1 if any record of the drop is refused, now or in an earlier delivery (the same records are ingested)',
    )
    .option('--partial-tracking', 'ingest the valid records of a tracking file that has refused ones')
    .option('--empty-tracking', 'accept a tracking file without valid records: that kind is then empty')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options, command: Command) => {
      const date = options.date ?? new Date(systemClock.now()).toISOString().slice(0, 10);
      if (!isDate(date)) command.error(`error: --date ${date} is not a date (YYYY-MM-DD)`);
      const { from, newLake, ...rest } = options;
      if (from === undefined && !newLake) command.error('error: give --from, --new-lake or both');
      const lake = await (newLake ? makeLake : openLakeOrEmpty)(options.lake);
      if (from === undefined) return printLake(lake.url, options.json);
      const report = await withProgress({ ...rest, from, lake, date });
      if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else printReport(report);
      const complaints = report.files.flatMap((file) => complaintOf(file) ?? []);
      for (const complaint of complaints) process.stderr.write(`sightline: ${complaint}\n`);
      if (complaints.length > 0 || (options.strict && hasRefused(report))) process.exitCode = 1;
    });
}

/** A job that is repeated because it failed must not succeed only because the file is known by now. */
function hasRefused({ refusals, files }: IngestReport): boolean {
  return refusals.length > 0 || files.some(({ refusedBefore }) => refusedBefore > 0);
}

/** One line that says why nothing of a file was ingested; null if something was. */
function complaintOf({ file, kind, refused, refusedBefore, notIngested }: FileReport): string | null {
  const count = refused + refusedBefore;
  if (notIngested === null) return null;
  if (kind === 'runs') return `${file}: every record was refused (${count})`;
  const state = 'the previous state stays valid';
  return notIngested === 'refused'
    ? `${file} was not ingested: ${count} refused, ${state}; --partial-tracking ingests the other records`
    : `${file} was not ingested: no valid record, ${state}; --empty-tracking accepts it`;
}

const HELP = `
A drop is a folder with any of workspaces, brands, competitors, prompts, events and runs*, each as .ndjson, .ndjson.gz
or .parquet. Invalid records are refused one by one and kept, with file, line and reason, in the lake's rejects/; all
others are ingested. Delivering a file again changes nothing. docs/ingest.md has the fields and the rules.
Workspaces, brands, competitors, prompts and events are tracking files: each replaces all records of its kind. A
tracking file with a refused record, or without records, is not ingested: the previous state stays valid, and the exit
status is 1. The exit status is also 1 if every record of a file is refused.
The first ingest into an empty place makes the lake, unless the store has a log: then a disk may not be mounted. Give
--new-lake once, to make a lake there or to mark one that was restored without its mark; never in a script.`;

function printLake(lake: string, json: true | undefined): void {
  process.stdout.write(json ? `${JSON.stringify({ lake })}\n` : `${lake} is a lake.\n`);
}

async function withProgress(options: IngestOptions): Promise<IngestReport> {
  using bar = progressBar('ingest, MB');
  return await ingest(options, {
    clock: systemClock,
    onStart: (bytes) => bar.start(bytes / 1e6),
    onBytes: (bytes) => bar.increment(bytes / 1e6),
  });
}

function noteOn({ kind, known, refusedBefore, notIngested }: FileReport): string {
  return [
    ...(known ? ['delivered before'] : []),
    ...(refusedBefore > 0 ? [`${refusedBefore} refused then`] : []),
    ...(notIngested !== null && kind !== 'runs' ? ['not ingested'] : []),
  ].join(', ');
}

function printReport(report: IngestReport): void {
  const { stdout } = process;
  printTable(
    report.files.map((file) => ({
      file: file.file,
      ingested: file.ingested,
      repeated: file.repeated,
      refused: file.refused,
      note: noteOn(file),
    })),
  );
  for (const file of report.ignored) stdout.write(`${file} is not a file of a drop and was ignored\n`);
  if (report.delivery === null) stdout.write('\nNothing new: every file was delivered before.\n');
  if (report.refusals.length === 0) return;
  stdout.write('\n');
  printTable(
    report.refusals.map(({ reason, records, kept }) => ({ 'refused because': reason, records, kept })),
  );
  stdout.write(`\nThe refused records are kept in ${report.rejects} of the lake.\n`);
  if (report.refusals.some(({ records, kept }) => kept < records))
    stdout.write(
      `Of one file and reason only the first ${REJECTS_KEPT} are kept; the others are only counted.\n`,
    );
}
