import { Command, InvalidArgumentError } from 'commander';
import { parseRecordsLocation } from '../../../lib/config.ts';
import type { RecordsLocation } from '../../../lib/config.ts';
import { printTable } from '../../../lib/cli.ts';
import { jsonOption } from './arguments.ts';
import { copyRecords } from '../copy/copy.ts';
import { note, printJson } from './output.ts';

interface CopyOptions {
  from: RecordsLocation;
  to: RecordsLocation;
  json?: true;
}

export function copyCommand(): Command {
  return new Command('copy')
    .description('copy all records to another, empty database: SQLite or PostgreSQL, in any direction')
    .requiredOption('--from <records>', 'the source, sqlite:PATH or postgres://…', recordsLocation)
    .requiredOption(
      '--to <records>',
      'the target: sqlite:PATH or postgres://…; it must be empty',
      recordsLocation,
    )
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async ({ from, to, json }: CopyOptions) => {
      const report = await copyRecords(from, to);
      if (json) printJson(report);
      else printTable(report.counts);
      note(
        report.isNew
          ? `copied from ${report.from} to ${report.to}`
          : `nothing to do: ${report.to} has the same records as ${report.from}`,
      );
    });
}

const HELP = `
Copies workspaces, plans, keys (hash, prefix, label, created, revoked, last used), their ids and the counts of the
current minute, in one transaction. Gateways may use the source meanwhile. Later changes are not in the copy; if that
matters, stop the gateways first. SQLite keeps times to the millisecond.`;

function recordsLocation(text: string): RecordsLocation {
  const location = parseRecordsLocation(text);
  if (location === null) throw new InvalidArgumentError('expected sqlite:PATH or postgres://….');
  return location;
}
