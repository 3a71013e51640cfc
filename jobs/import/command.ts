import { Command, InvalidArgumentError, Option } from 'commander';
import { printable } from '../../lib/cli.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../lib/methodology/constants.ts';
import { readPercent } from '../options.ts';
import { checkMapping } from './check-mapping.ts';
import { importExport } from './import.ts';
import type { ImportOptions } from './import.ts';
import { printReport } from './report/report.ts';

interface Options {
  mapping?: string;
  checkMapping?: string;
  from: string[];
  to?: string;
  set?: Record<string, string>;
  engine?: Record<string, string>;
  cycles: ImportOptions['cycles'];
  allowSkipped: number;
  allowMissing: number;
  json?: true;
}

export function importCommand(): Command {
  return new Command('import')
    .description('make a drop from another tool’s export')
    .option('--mapping <name>', 'canonry, otterly, peec, profound, spreadsheet, or an SQL file of your own')
    .requiredOption('--from <path...>', 'files of the export, or folders with such files')
    .option('--to <drop>', 'the folder to write: new or empty')
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
    .option(
      '--check-mapping <name>',
      'only compare the fields of the files with those that this mapping reads; 1 if one is missing',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (options: Options, command: Command) => await run(options, command));
}

async function run({ json, ...options }: Options, command: Command): Promise<void> {
  const { mapping, to, set = {}, engine = {} } = options;
  if (options.checkMapping !== undefined) {
    if (mapping !== undefined || to !== undefined)
      command.error('error: --check-mapping stands in the place of --mapping and --to');
    return await runCheck(options.checkMapping, options.from, json);
  }
  if (mapping === undefined) command.error("error: required option '--mapping <name>' not specified");
  if (to === undefined) command.error("error: required option '--to <drop>' not specified");
  const report = await importExport({ ...options, mapping, to, settings: set, engines: engine });
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else printReport(report, to);
}

async function runCheck(name: string, from: readonly string[], json: true | undefined): Promise<void> {
  const check = await checkMapping(name, from);
  const { stdout } = process;
  if (json) stdout.write(`${JSON.stringify(check)}\n`);
  else {
    stdout.write(`Fields that mapping ${name} does not read: ${check.unread.length}\n`);
    for (const field of check.unread) stdout.write(`  ${printable(field)}\n`);
    stdout.write(`Fields that it reads and these files do not have: ${check.notFound.length}\n`);
    for (const { field, isOptional } of check.notFound)
      stdout.write(`  ${field}${isOptional ? ' (may be missing)' : ''}\n`);
  }
  if (check.notFound.some(({ isOptional }) => !isOptional)) process.exitCode = 1;
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
