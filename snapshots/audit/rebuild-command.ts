import { Command, InvalidArgumentError } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { handleDamage } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import { asOfOption, lakeOption, onLog, printJson, referenceOf, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import { impossible, rebuildSnapshot } from './rebuild.ts';
import type { Rebuilt } from './rebuild.ts';
import { REFERENCE_HELP, choose, chooseWorkspace, readEntry, readPublications } from '../reading/select.ts';
import type { LoggedStore, Reference } from '../reading/select.ts';
import { hasDocuments } from '../log/history.ts';
import type { Publication } from '../log/history.ts';

interface Options extends AuditOptions {
  lake: StoreLocation;
  all?: true;
  repair?: true;
  threads?: number;
  asOf?: string;
}

export function rebuildCommand(): Command {
  const command = new Command('rebuild')
    .description(
      'compute a published snapshot again from the lake objects that its manifest names, and compare',
    )
    .argument('[snapshot]', 'the snapshot (default: current)')
    .addOption(asOfOption())
    .addOption(lakeOption())
    .option('--all', 'every snapshot of the workspace, or of all, newest first')
    .option(
      '--repair',
      'write documents that are missing or altered, if they come out with the published hash',
    )
    .option('--threads <n>', "DuckDB's threads (default: one for each core)", readThreads)
    .addHelpText(
      'after',
      `\n${REFERENCE_HELP}\nThe exit status is 1 if a document differs, or if an input is missing, changed or left out.`,
    )
    .action(async (reference: string | undefined, options: Options) => {
      if (options.all === true && (reference ?? options.asOf) !== undefined)
        command.error('error: --all means every snapshot; do not name one');
      const snapshots = await onLog(options, async (logged) => {
        const wanted = referenceOf(reference ?? 'current', options.asOf);
        return await rebuildAll(logged.store, await entriesToRebuild(logged, wanted, options), options);
      });
      if (options.json) printJson({ snapshots });
      else for (const rebuilt of snapshots) printRebuilt(rebuilt);
      if (snapshots.some(({ outcome }) => outcome !== 'same')) process.exitCode = 1;
    });
  return withAuditOptions(command);
}

function readThreads(value: string): number {
  if (!/^[1-9]\d{0,2}$/.test(value)) throw new InvalidArgumentError('expected a number from 1 up.');
  return Number(value);
}

async function entriesToRebuild(
  logged: LoggedStore,
  reference: Reference,
  options: Options,
): Promise<Named[]> {
  if (options.all !== true) {
    const workspaceId = chooseWorkspace(logged, options.workspace);
    return [{ workspaceId, publication: choose(await readPublications(logged, workspaceId), reference) }];
  }
  const { workspace } = options;
  const named: Named[] = [];
  for (const workspaceId of workspace === undefined ? logged.log.heads.keys() : [workspace]) {
    const { publications } = await readPublications(logged, workspaceId);
    for (const publication of publications.filter(hasDocuments).toReversed())
      named.push({ workspaceId, publication });
  }
  return named;
}

interface Named {
  workspaceId: string;
  publication: Publication;
}

async function rebuildAll(
  store: ObjectStore,
  entries: readonly Named[],
  options: Options,
): Promise<Rebuilt[]> {
  using bar = progressBar('rebuild, snapshots');
  bar.start(entries.length);
  const results: Rebuilt[] = [];
  for (const entry of entries) {
    results.push(await rebuildOne(store, entry, options));
    bar.increment();
  }
  return results;
}

/** A snapshot of which the manifest or the list of inputs is gone does not keep the others from being rebuilt. */
async function rebuildOne(
  store: ObjectStore,
  { workspaceId, publication }: Named,
  options: Options,
): Promise<Rebuilt> {
  return await handleDamage(
    async () => await rebuildSnapshot(store, await readEntry(store, workspaceId, publication), options),
    ({ message }) => impossible(workspaceId, publication, message),
  );
}

function printRebuilt(rebuilt: Rebuilt): void {
  const { snapshotId, outcome, documents, different, missingInputs, changedInputs, leftOutInputs } = rebuilt;
  const { repaired, reason, codeVersion } = rebuilt;
  const { stdout } = process;
  stdout.write(`${snapshotId}: ${outcome}, ${documents} documents\n`);
  if (reason !== null) stdout.write(`${reason}\n`);
  printTable([
    ...repaired.map((path) => ({ what: 'document was written again', path })),
    ...different.map((path) => ({ what: 'document differs', path })),
    ...missingInputs.map((path) => ({ what: 'input is missing', path })),
    ...changedInputs.map((path) => ({ what: 'input was changed', path })),
    ...leftOutInputs.map((path) => ({ what: 'input was left out', path })),
  ]);
  if (outcome !== 'same' && codeVersion !== null)
    stdout.write(`published by version ${codeVersion}, rebuilt by ${VERSION}\n`);
}
