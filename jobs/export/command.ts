import { Command, InvalidArgumentError, Option } from 'commander';
import { printTable, printable, progressBar } from '../../lib/cli.ts';
import { counted } from '../../lib/weeks/names.ts';
import { onLog, printJson, withAuditOptions } from '../../snapshots/audit/options.ts';
import type { AuditOptions } from '../../snapshots/audit/options.ts';
import { chooseWorkspace, resolveSnapshot } from '../../snapshots/reading/select.ts';
import { findBrands } from '../../snapshots/reading/documents.ts';
import { tableNames } from '../../lib/tables/names.ts';
import type { TableName } from '../../lib/tables/names.ts';
import { exportTables } from './export.ts';
import type { ExportReport } from './export.ts';
import { formats } from './write.ts';
import type { Format } from './write.ts';

interface Options extends AuditOptions {
  to: string;
  format: Format;
  weeks: number | 'all';
  brand?: string[];
  tables?: TableName[];
}

export function exportCommand(): Command {
  const command = new Command('export')
    .description('write published weeks as tables, for a spreadsheet, DuckDB or a notebook')
    .requiredOption('--to <folder>', 'the folder to write: new, empty, or with an earlier export')
    .addOption(new Option('--format <format>', 'the files to write').choices(formats).makeOptionMandatory())
    .option('--weeks <n>', 'the newest N weeks, or all', readWeeks, 1)
    .option('--brand <id or name...>', 'only these brands')
    .option('--tables <names>', 'only these tables, separated by commas', readTables)
    .addHelpText('after', HELP)
    .action(async ({ to, format, weeks, brand, tables, json, ...options }: Options) => {
      const report = await onLog(options, async (logged) => {
        using bar = progressBar('export, documents');
        const workspaceId = chooseWorkspace(logged, options.workspace);
        const newest = async () => await resolveSnapshot(logged, workspaceId, 'current');
        const brandIds = brand && (await findBrands(logged.store, await newest(), brand));
        return await exportTables(logged, {
          workspaceId,
          weeks,
          brandIds,
          tables,
          format,
          to,
          onStart: (documents) => bar.start(documents),
          onDocuments: (documents) => bar.increment(documents),
        });
      });
      if (json) printJson(report);
      else printReport(report, to);
    });
  return withAuditOptions(command);
}

const HELP = `
Exports only verified snapshots: every document is compared with its manifest, and every manifest with the signed log.
If a week has several snapshots, the last one is exported. The folder is written completely or not at all. An unchanged
earlier export in it is replaced; a folder with anything else is refused. docs/exporting.md has columns and recipes.`;

function readWeeks(text: string): number | 'all' {
  if (text === 'all') return text;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a number from 1 up, or all.');
  return Number(text);
}

function readTables(text: string): TableName[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(tableNames as readonly string[]).includes(name));
  if (unknown === undefined) return names as TableName[];
  throw new InvalidArgumentError(`${printable(unknown)} is none of the tables: ${tableNames.join(', ')}.`);
}

function printReport(report: ExportReport, folder: string): void {
  const { stdout } = process;
  const { snapshots, pruned, lost, leftOut, tables, workspaceId, workspaceName } = report;
  printTable(tables.map(({ table, rows, file }) => ({ table, rows, file })));
  const [first, last] = [snapshots[0], snapshots.at(-1)];
  const weeks = counted(snapshots.length, 'week');
  const span = first === undefined ? '' : `, as of ${first.asOf}${first === last ? '' : ` to ${last!.asOf}`}`;
  stdout.write(`\n${printable(workspaceName ?? workspaceId)}: ${weeks}${span}, verified\n`);
  for (const [why, names] of Object.entries({
    'they were pruned': pruned,
    'they were lost': lost,
    'it has more rows than a sheet (csv and parquet have it)': leftOut,
  }))
    if (names.length > 0) stdout.write(`left out, as ${why}: ${names.join(', ')}\n`);
  stdout.write(`${folder} has the files, and datapackage.json with their SHA-256 and columns\n`);
}
