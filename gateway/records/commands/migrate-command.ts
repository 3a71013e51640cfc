import { Command } from 'commander';
import { jsonOption } from './arguments.ts';
import { note, printJson } from './output.ts';
import { withRecords } from './with-records.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('create the records, or upgrade their schema; a gateway only upgrades it')
    .addOption(jsonOption())
    .action(async ({ json }: { json?: true }) => {
      await withRecords('create', async ({ name }) => {
        if (json) printJson({ records: name });
        note(`records at ${name} are up to date`);
      });
    });
}
