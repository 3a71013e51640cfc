import { Command } from 'commander';
import { jsonOption } from './arguments.ts';
import { note, printJson } from './output.ts';
import { withRecords } from './with-records.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Create the records, or upgrade their schema. The gateway does this when it starts.')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      await withRecords('create', async ({ name }) => {
        if (json) printJson({ records: name });
        note(`records at ${name} are up to date`);
      });
    });
}
