import { Command, InvalidArgumentError } from 'commander';
import { printTable, printable, progressBar } from '../../lib/cli.ts';
import { roundDouble } from '../../lib/methodology/exact.ts';
import { counted } from '../../lib/weeks/names.ts';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { emptyHistory } from '../log/history.ts';
import { readCheckpoint } from '../log/read.ts';
import { partOfDay } from '../verify/documents.ts';
import type { Subset } from '../verify/documents.ts';
import { problemKinds } from '../verify/findings.ts';
import type { Finding } from '../verify/findings.ts';
import type { KeptHead, VerifyOptions, VerifyReport } from '../verify/report.ts';
import { keepRefused, readState, writeState } from '../verify/state.ts';
import { verifyStore } from '../verify/verify.ts';
import {
  asOfOption,
  onStore,
  printJson,
  readCheckpoints,
  referenceOf,
  trustOf,
  withAuditOptions,
  withState,
} from './options.ts';
import type { AuditOptions } from './options.ts';
import { REFERENCE_HELP, choose, chooseWorkspace } from '../reading/select.ts';

interface Options extends AuditOptions {
  asOf?: string;
  readDataSubset?: Subset;
  allowEmpty?: true;
  checkpoint?: string[];
  notOlderThan?: number;
  metricsFile?: string;
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('check that the store is what its log says, and that the log only grew')
    .argument('[snapshot]', 'only the documents of this snapshot; the log is always checked whole')
    .addOption(asOfOption())
    .option('--checkpoint <file...>', 'checkpoints that you kept: the log must continue each')
    .option('--not-older-than <days>', 'how old the newest publication may be, such as 9d', readDays)
    .option(
      '--read-data-subset <I/N>',
      'of older snapshots, read only part I of N of the documents; today/N selects another part each day (UTC)',
      readSubset,
    )
    .option('--allow-empty', 'accept a store in which nothing was published as intact')
    .option('--metrics-file <path>', "write the result for node_exporter's textfile collector")
    .addHelpText('after', HELP)
    .action(async (snapshot: string | undefined, options: Options) => {
      await run(snapshot, options);
    });
  return withAuditOptions(command, 'default: all; with a snapshot: optional if there is only one');
}

const HELP = `
${REFERENCE_HELP}
Exit status: 0 intact, 1 not intact, 2 wrong usage, 3 no verdict: the store, a key or a file could not be read, or a
newer version wrote something. --state keeps one thing, the newest checkpoint, if all workspaces were read and are intact: an
older state of the whole store, put back, looks intact to someone who has never seen a newer one. Each kind of problem
is printed with what it means and what to do; docs/auditing.md lists the ways back to Intact.`;

const DAY_MS = 86_400_000;

function readDays(text: string): number {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  if (days === undefined) throw new InvalidArgumentError('expected a number of days such as 9d.');
  return Number(days) * DAY_MS;
}

function readSubset(text: string): Subset {
  const [, which, count] = /^([1-9]\d{0,3}|today)\/([1-9]\d{0,3})$/.exec(text) ?? [];
  const of = Number(count);
  const part = which === 'today' ? partOfDay(systemClock.now(), of) : Number(which);
  if (which === undefined || part > of)
    throw new InvalidArgumentError('expected I/N with I from 1 to N, or today/N.');
  return { part, of };
}

async function run(snapshot: string | undefined, options: Options): Promise<void> {
  const started = performance.now();
  const report = await onStore(options, async (store) => await verifyWithState(store, snapshot, options));
  const seconds = roundDouble((performance.now() - started) / 1000, 2);
  if (options.json) printJson({ ...report, seconds });
  else printReport(report, seconds);
  const isUnknown = report.problems.length === 0 && report.newer.length > 0;
  if (!report.isIntact) process.exitCode = isUnknown ? 3 : 1;
  // The gauges are about the whole store.
  if (options.metricsFile === undefined || isUnknown || report.scope !== null) return;
  const finishedAt = systemClock.now();
  // Its library takes a quarter of the time that this command takes to start.
  const { writeVerifyMetrics } = await import('../verify/metrics.ts');
  await writeVerifyMetrics(options.metricsFile, report, { finishedAt, seconds });
}

async function verifyWithState(
  store: ObjectStore,
  snapshot: string | undefined,
  options: Options,
): Promise<VerifyReport> {
  return await withState(options, async (memory) => {
    if (memory === null) return await verify(store, snapshot, options, []);
    const before = await readState(memory);
    if (before === null && memory.isUsual !== true)
      process.stderr.write(`${memory.name} is new: no checkpoint was kept to compare with\n`);
    const kept = before === null ? [] : [{ head: before.head, name: memory.name }];
    const report = await verify(store, snapshot, options, kept);
    if (before !== null && report.problems.some(({ kind }) => kind === 'log_rewritten')) {
      const found = await readCheckpoint(store);
      // Otherwise it was another checkpoint, of --checkpoint, that the log does not continue.
      if (found !== null && found.note.text !== before.head.note.text) await keepRefused(memory, found);
    }
    if (report.checkpoint !== null) await writeState(memory, report.checkpoint, before?.version ?? null);
    return report;
  });
}

async function verify(
  store: ObjectStore,
  snapshot: string | undefined,
  options: Options,
  seen: readonly KeptHead[],
): Promise<VerifyReport> {
  const identity = { origin: readConfig().LOG_ORIGIN ?? null, trust: await trustOf(options) };
  using bar = progressBar('verify, workspaces');
  return await verifyStore(store, {
    identity,
    kept: [...seen, ...(await readCheckpoints(options.checkpoint ?? []))],
    notOlderThanMs: options.notOlderThan,
    ...selectionOf(store, snapshot, options),
    subset: options.readDataSubset,
    allowEmpty: options.allowEmpty,
    now: systemClock.now(),
    onStart: (workspaces) => bar.start(workspaces),
    onWorkspace: () => bar.increment(),
  });
}

/** The workspace and the snapshot whose documents are read. */
function selectionOf(
  store: ObjectStore,
  snapshot: string | undefined,
  options: Options,
): Pick<VerifyOptions, 'workspaceId' | 'select'> {
  const reference = referenceOf(snapshot, options.asOf);
  if (reference === undefined) return { workspaceId: options.workspace };
  return {
    select({ heads, histories }) {
      const workspaceId = chooseWorkspace({ store, log: { heads } }, options.workspace);
      const { snapshotId } = choose(histories.get(workspaceId) ?? emptyHistory(workspaceId), reference);
      return { workspaceId, snapshotId };
    },
  };
}

function printReport(report: VerifyReport, seconds: number): void {
  const { problems, notes, newer, checked, log } = report;
  const { stdout } = process;
  const { logEntries, workspaces, snapshots, documents, bytes } = checked;
  printTable([{ 'log entries': logEntries, workspaces, snapshots, documents, bytes, seconds }]);
  if (log !== null)
    stdout.write(`log ${printable(log.origin)}: root ${log.root}, newest entry ${log.newestEntryAt}\n`);
  printFindings(notes);
  printFindings(problems);
  for (const kind of new Set(problems.map((problem) => problem.kind))) {
    const { meaning, remedy } = problemKinds[kind];
    stdout.write(`\n${kind}: ${meaning} ${remedy}\n`);
  }
  for (const unknown of newer) stdout.write(`${printable(`newer: ${unknown}`)}\n`);
  stdout.write(`\n${verdictOf(report)}\n`);
}

function verdictOf({ problems, newer, scope, subset }: VerifyReport): string {
  const count = problems.length;
  if (count > 0) return `Not intact: ${counted(count, 'problem')}.`;
  if (newer.length > 0)
    return 'No verdict: a newer version of Sightline wrote what this one does not know. All hashes match. Upgrade it, and verify again.';
  const read = [
    ...(scope === null ? [] : [`workspace ${scope.workspaceId}`]),
    ...(scope === null || scope.snapshotId === null ? [] : [`snapshot ${scope.snapshotId}`]),
    ...(subset === null
      ? []
      : [`part ${subset.part} of ${subset.of} of the documents of older snapshots, and all else`]),
  ];
  return read.length === 0 ? 'Intact.' : `Intact, as far as was read: ${read.join(', ')}.`;
}

function printFindings(findings: readonly Finding<string>[]): void {
  for (const { kind, workspaceId, snapshotId, objects, message } of findings) {
    const where = [workspaceId, snapshotId].filter((part) => part !== null).join(' ');
    const [first, ...others] = objects;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const what = first === undefined ? where : `${first}${more}`;
    process.stdout.write(`${printable(`${kind}: ${what === '' ? '' : `${what}: `}${message}`)}\n`);
  }
}
