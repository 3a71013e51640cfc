import { Argument, Command } from 'commander';
import pMap from 'p-map';
import {
  asOfOption,
  onLog,
  printJson,
  referenceOf,
  withAuditOptions,
  writeGiven,
} from '../../../snapshots/audit/options.ts';
import type { AuditOptions } from '../../../snapshots/audit/options.ts';
import {
  REFERENCE_HELP,
  choose,
  chooseWorkspace,
  historyUntil,
  oneAWeek,
  readEntry,
  readPublications,
} from '../../../snapshots/reading/select.ts';
import { findBrands } from '../../../snapshots/reading/documents.ts';
import { reportPage } from './report.ts';

interface Options extends AuditOptions {
  html: string;
  asOf?: string;
  brand?: string[];
}

const READS_AT_ONCE = 16;
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
      const report = await onLog(options, async (logged) => {
        const { store } = logged;
        const workspaceId = chooseWorkspace(logged, options.workspace);
        const history = await readPublications(logged, workspaceId);
        const wanted = choose(history, referenceOf(reference, options.asOf));
        const weeks = oneAWeek(historyUntil(history, wanted));
        const entries = await pMap(
          weeks.slice(0, MOST_WEEKS),
          async (past) => await readEntry(store, workspaceId, past),
          { concurrency: READS_AT_ONCE },
        );
        const brandIds = options.brand && (await findBrands(store, entries[0]!, options.brand));
        await writeGiven(options.html, await reportPage(store, entries, brandIds));
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
