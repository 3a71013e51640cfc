import { Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../lib/clock.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../lib/methodology/constants.ts';
import { readPercent } from '../options.ts';
import { importExport } from './import.ts';
import type { ImportOptions } from './import.ts';
import { printReport } from './report/report.ts';

interface Options {
  mapping: string;
  from: string[];
  to: string;
  set?: Record<string, string>;
  engine?: Record<string, string>;
  cycles: ImportOptions['cycles'];
  allowSkipped: number;
  allowMissing: number;
  problems?: string;
  json?: true;
}

export function importCommand(): Command {
  return new Command('import')
    .description('make a drop from another tool’s export')
    .requiredOption(
      '--mapping <name>',
      'canonry, otterly, peec, profound, spreadsheet, or an SQL file of your own',
    )
    .requiredOption('--from <path...>', 'files of the export, or folders with such files')
    .requiredOption('--to <drop>', 'the folder to write: new or empty')
    .option('--set <key=value>', 'a setting of the mapping; may be repeated', readSetting)
    .option(
      '--engine <name=engine>',
      'map this engine name of the export to that engine, or skip it; may be repeated',
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
    .option(
      '--allow-missing <percent>',
      'fail if more than this share of the answers is missing from the export',
      readPercent,
      0,
    )
    .option('--problems <file>', 'write all problems to this CSV file: file, row, column, value, why')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(run);
}

async function run({ json, set = {}, engine = {}, ...options }: Options): Promise<void> {
  const report = await importExport({ ...options, settings: set, engines: engine, clock: systemClock });
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else printReport(report, options.to);
}

const HELP = `
Reads JSON, NDJSON and CSV, also with .gz, Parquet and Excel workbooks. One run is kept for each prompt, engine and
week: a prompt counts as named if any answer of its cycle names the brand, so seven daily answers in a weekly cycle
would inflate every score. A mapping reads the given files and nothing else. The same files make the same drop.
The report ends with what the drop will show of each brand. docs/importing.md has the mappings, what each needs, and
how to write one.
`;

function readSetting(text: string, settings: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=([^]*)$/.exec(text) ?? [];
  if (key === undefined) throw new InvalidArgumentError('expected KEY=VALUE.');
  return { ...settings, [key]: value! };
}

function readEngine(text: string, engines: Record<string, string> = {}): Record<string, string> {
  const [, name, engine] = /^(.+)=([a-z_]+)$/.exec(text) ?? [];
  if (name === undefined || !(engine === 'skip' || engineSlugs.includes(engine as EngineSlug)))
    throw new InvalidArgumentError(
      `expected NAME=ENGINE, the engine one of ${engineSlugs.join(', ')}, or NAME=skip.`,
    );
  return { ...engines, [name.trim().toLowerCase()]: engine! };
}
