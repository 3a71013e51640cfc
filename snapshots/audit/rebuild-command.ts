import { Command, InvalidArgumentError } from 'commander';
import { printTable, progressBar } from '../../lib/cli.ts';
import type { StoreLocation } from '../../lib/config.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { VERSION } from '../../lib/version.ts';
import type { Manifest } from '../manifest.ts';
import {
  asOfOption,
  lakeOption,
  onStore,
  printJson,
  referenceOf,
  trustOf,
  withAuditOptions,
} from './options.ts';
import type { AuditOptions } from './options.ts';
import { rebuildSnapshot } from './rebuild.ts';
import type { Rebuilt } from './rebuild.ts';
import { REFERENCE_HELP, chooseWorkspace, readChain, resolveSnapshot } from './select.ts';
import type { Reference } from './select.ts';

interface Options extends AuditOptions {
  lake: StoreLocation;
  all?: true;
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
    .option('--all', 'every snapshot of the workspace, newest first')
    .option('--threads <n>', "DuckDB's threads (default: one for each core)", readThreads)
    .addHelpText(
      'after',
      `\n${REFERENCE_HELP}\nThe exit status is 1 if a document differs, or if an input is missing, changed or left out.`,
    )
    .action(async (reference: string | undefined, options: Options) => {
      if (options.all === true && (reference ?? options.asOf) !== undefined)
        command.error('error: --all means every snapshot; do not name one');
      const results = await onStore(options, async (store) => {
        const manifests = await manifestsToRebuild(
          store,
          referenceOf(reference ?? 'current', options.asOf),
          options,
        );
        return await rebuildAll(store, manifests, options);
      });
      if (options.json) printJson({ snapshots: results.map(({ rebuilt }) => rebuilt) });
      else for (const { rebuilt, manifest } of results) printRebuilt(rebuilt, manifest);
      if (results.some(({ rebuilt }) => rebuilt.outcome !== 'same')) process.exitCode = 1;
    });
  return withAuditOptions(command);
}

function readThreads(value: string): number {
  if (!/^[1-9]\d{0,2}$/.test(value)) throw new InvalidArgumentError('expected a number from 1 up.');
  return Number(value);
}

async function manifestsToRebuild(
  store: ObjectStore,
  reference: Reference,
  options: Options,
): Promise<Manifest[]> {
  const workspaceId = await chooseWorkspace(store, options.workspace);
  const trust = await trustOf(options);
  if (options.all !== true) return [(await resolveSnapshot(store, workspaceId, reference, trust)).manifest];
  const manifests: Manifest[] = [];
  for await (const { manifest } of readChain(store, workspaceId, trust)) manifests.push(manifest);
  return manifests;
}

async function rebuildAll(store: ObjectStore, manifests: readonly Manifest[], { lake, threads }: Options) {
  using bar = progressBar('rebuild, snapshots');
  bar.start(manifests.length);
  const results: { rebuilt: Rebuilt; manifest: Manifest }[] = [];
  for (const manifest of manifests) {
    results.push({ rebuilt: await rebuildSnapshot(store, manifest, { lake, threads }), manifest });
    bar.increment();
  }
  return results;
}

function printRebuilt(rebuilt: Rebuilt, manifest: Manifest): void {
  const { snapshotId, outcome, documents, different, missingInputs, changedInputs, leftOutInputs, reason } =
    rebuilt;
  const { stdout } = process;
  stdout.write(`${snapshotId}: ${outcome}, ${documents} documents\n`);
  if (reason !== null) stdout.write(`${reason}\n`);
  printTable([
    ...different.map((path) => ({ what: 'document differs', path })),
    ...missingInputs.map((path) => ({ what: 'input is missing', path })),
    ...changedInputs.map((path) => ({ what: 'input was changed', path })),
    ...leftOutInputs.map((path) => ({ what: 'input was left out', path })),
  ]);
  if (outcome !== 'same' && manifest.codeVersion !== VERSION) {
    stdout.write(`published by version ${manifest.codeVersion}, rebuilt by ${VERSION}\n`);
  }
}
