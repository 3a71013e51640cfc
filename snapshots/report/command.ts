import { Argument, Command } from 'commander';
import { onStore, printJson, trustOf, withAuditOptions } from '../audit/options.ts';
import type { AuditOptions } from '../audit/options.ts';
import { REFERENCE_HELP, chooseWorkspace, readChain, resolveSnapshot } from '../audit/select.ts';
import type { Entry } from '../audit/select.ts';
import { writePage } from '../diff/command.ts';

interface Options extends AuditOptions {
  html: string;
}

/** As many as the trend of one engine can hold weeks of. */
const MOST_WEEKS = 120;

export function reportCommand(): Command {
  const command = new Command('report')
    .description(
      'write one page about a workspace that needs no network: charts, tables and what changed this week',
    )
    .addArgument(new Argument('[snapshot]', 'the snapshot').default('current'))
    .requiredOption('--html <file>', 'the file to write')
    .addHelpText('after', `\n${REFERENCE_HELP}`)
    .action(async (reference: string, options: Options) => {
      const report = await onStore(options, async (store) => {
        const workspaceId = await chooseWorkspace(store, options.workspace);
        const wanted = await resolveSnapshot(store, workspaceId, reference, await trustOf(options));
        const entries: Entry[] = [];
        for await (const entry of readChain(store, workspaceId)) {
          if (entries.length > 0 || entry.link.snapshotId === wanted.link.snapshotId) entries.push(entry);
          if (entries.length === MOST_WEEKS) break;
        }
        const { reportPage } = await import('./report.ts'); // the plotting library would slow down every other command
        await writePage(options.html, await reportPage(store, entries));
        return { workspaceId, snapshotId: wanted.link.snapshotId, weeks: entries.length, file: options.html };
      });
      if (options.json) printJson(report);
      else
        process.stdout.write(`${report.file}: snapshot ${report.snapshotId}, with ${report.weeks} weeks\n`);
    });
  return withAuditOptions(command);
}
