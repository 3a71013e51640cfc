import { Command, InvalidArgumentError, Option } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../lib/methodology/constants.ts';
import { importExport } from './import.ts';
import type { ImportOptions, ImportReport } from './import.ts';

interface Options {
  mapping: string;
  from: string[];
  to: string;
  set?: Record<string, string>;
  engine?: Record<string, string>;
  cycles: ImportOptions['cycles'];
  allowSkipped: number;
  json?: true;
}

export function importCommand(): Command {
  return new Command('import')
    .description('make a drop from another tool’s export')
    .requiredOption('--mapping <name>', 'canonry, peec, profound, spreadsheet, or an SQL file of your own')
    .requiredOption('--from <path...>', 'files of the export, or folders with such files')
    .requiredOption('--to <drop>', 'the folder to write: new or empty')
    .option('--set <key=value>', 'a setting of the mapping; may be repeated', readSetting)
    .option(
      '--engine <name=engine>',
      'map this engine name of the export to that engine; may be repeated',
      readEngine,
    )
    .addOption(
      new Option('--cycles <cycles>', 'how long a cycle is: a week or a day')
        .choices(['weekly', 'daily'])
        .default('weekly'),
    )
    .option(
      '--allow-skipped <percent>',
      'fail if more than this share of the answers is skipped',
      readPercent,
      5,
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async ({ json, set = {}, engine = {}, ...options }: Options) => {
      const report = await importExport({ ...options, settings: set, engines: engine });
      if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
      else printReport(report, options.to);
    });
}

const HELP = `
Reads JSON, NDJSON, CSV and Parquet, also with .gz. One run is kept for each prompt, engine and week: a prompt counts as
named if any answer of its cycle names the brand, so seven daily answers in a weekly cycle would inflate every score.
A mapping reads the given files and nothing else. The same files make the same drop. docs/importing.md has the mappings,
what each needs, and how to write one.`;

function readSetting(text: string, settings: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=([^]*)$/.exec(text) ?? [];
  if (key === undefined) throw new InvalidArgumentError('expected KEY=VALUE.');
  return { ...settings, [key]: value! };
}

function readEngine(text: string, engines: Record<string, string> = {}): Record<string, string> {
  const [, name, engine] = /^(.+)=([a-z_]+)$/.exec(text) ?? [];
  if (name === undefined || !engineSlugs.includes(engine as EngineSlug))
    throw new InvalidArgumentError(`expected NAME=ENGINE, the engine one of ${engineSlugs.join(', ')}.`);
  return { ...engines, [name.trim().toLowerCase()]: engine! };
}

function readPercent(text: string): number {
  if (!/^\d{1,3}(?:\.\d+)?$/.test(text) || Number(text) > 100)
    throw new InvalidArgumentError('expected a percentage from 0 to 100.');
  return Number(text);
}

function printReport(report: ImportReport, folder: string): void {
  const { stdout } = process;
  const { files, read, kept, merged, skipped, cycles } = report;
  printTable(files.map(({ file, records }) => ({ file, records })));
  stdout.write(`\n${read} answers read, ${kept} kept as runs`);
  stdout.write(
    cycles === 'weekly'
      ? ', one for each prompt, engine and week\n'
      : ', one for each prompt, engine and day\n',
  );
  const left = [
    ...merged.map((row) => ({ ...row, note: '' })),
    ...skipped.map((row) => ({ ...row, note: 'skipped' })),
  ];
  if (left.length > 0) {
    stdout.write('\n');
    printTable(
      left.map(({ reason, records, note }) => ({ 'no run of its own': reason, answers: records, note })),
    );
  }
  if (report.notes.length > 0) stdout.write('\n');
  for (const note of report.notes) stdout.write(`${printable(note)}\n`);
  if (report.isKnown) stdout.write(`\n${folder} has this drop already.\n`);
  const date = report.newestCycle === null ? '' : ` --date ${report.newestCycle}`;
  stdout.write(`\nNext: npm run job -- ingest --from ${folder}${date}\n`);
}
