import { Argument, Command } from 'commander';
import pMap from 'p-map';
import { asOfOption, onStore, printJson, referenceOf, trustOf, withAuditOptions } from '../audit/options.ts';
import type { AuditOptions } from '../audit/options.ts';
import {
  REFERENCE_HELP,
  choose,
  chooseWorkspace,
  oneAWeek,
  readEntry,
  readSnapshots,
} from '../audit/select.ts';
import { findBrands } from '../audit/show.ts';
import { writePage } from '../pages/file.ts';
import { READS_AT_ONCE } from '../verify/workspace/inventory.ts';
import { reportPage } from './report.ts';

interface Options extends AuditOptions {
  html: string;
  asOf?: string;
  brand?: string[];
}

/** The trend of one engine contains at most this number of weeks. */
const MOST_WEEKS = 120;

export function reportCommand(): Command {
  const command = new Command('report')
    .description(
      'write a page about a workspace: charts, tables and what changed this week; it loads nothing from the network',
    )
    .addArgument(new Argument('[snapshot]', 'the snapshot').default('current'))
    .addOption(asOfOption())
    .requiredOption('--html <file>', 'the file to write')
    .option('--brand <id or name...>', 'only these brands')
    .addHelpText('after', `\n${REFERENCE_HELP}`)
    .action(async (reference: string, options: Options) => {
      const report = await onStore(options, async (store) => {
        const workspaceId = await chooseWorkspace(store, options.workspace);
        const { snapshots } = await readSnapshots(store, workspaceId, await trustOf(options));
        const wanted = choose(workspaceId, referenceOf(reference, options.asOf), snapshots);
        const weeks = oneAWeek(snapshots.filter(({ sequence }) => sequence <= wanted.sequence));
        const entries = await pMap(
          weeks.slice(0, MOST_WEEKS),
          async (past) => await readEntry(store, workspaceId, past),
          { concurrency: READS_AT_ONCE },
        );
        const brandIds = options.brand && (await findBrands(store, entries[0]!.manifest, options.brand));
        await writePage(options.html, await reportPage(store, entries, brandIds));
        return { workspaceId, snapshotId: wanted.snapshotId, weeks: entries.length, file: options.html };
      });
      if (options.json) printJson(report);
      else
        process.stdout.write(
          `${report.file}: snapshot ${report.snapshotId}, with ${report.weeks} ${report.weeks === 1 ? 'week' : 'weeks'}\n`,
        );
    });
  return withAuditOptions(command);
}
