import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { readConfig } from '../lib/config.ts';
import { createLog } from './observe/log.ts';
import { runGateway } from './run-gateway.ts';

function gatewayCommand(): Command {
  return new Command('gateway')
    .description('Serves the snapshots in STORE_URL to the keys in RECORDS_URL, on HOST and PORT.')
    .addHelpText('after', '\nEvery setting is an environment variable; docs/settings.md lists them.')
    .action(async () => {
      const config = readConfig();
      await runGateway(config, createLog(config.LOG_LEVEL));
    });
}

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runCommand(gatewayCommand, argv);
}

// Exits even if a stalled reader of standard output has not taken the last lines.
if (import.meta.main) process.exit(await main(process.argv));
