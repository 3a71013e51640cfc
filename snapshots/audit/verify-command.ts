import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { printTable, printable, progressBar } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { writeMetricsFile } from '../../lib/metrics/metrics-file.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { partOfDay } from '../verify/workspace/documents.ts';
import type { Subset } from '../verify/workspace/documents.ts';
import { problemKinds } from '../verify/findings.ts';
import type { Finding } from '../verify/findings.ts';
import { asOfOption, onStore, printJson, referenceOf, trustOf, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import { REFERENCE_HELP, chooseWorkspace } from './select.ts';
import { openState, readState, writeState } from '../verify/state.ts';
import type { SeenState } from '../verify/state.ts';
import { parseCheckpoint } from '../log/notes/checkpoint.ts';
import type { TreeHead } from '../log/notes/checkpoint.ts';
import { parsePolicy } from '../log/notes/policy.ts';
import type { Policy } from '../log/notes/policy.ts';
import { verifyMetrics } from '../verify/metrics.ts';
import { verifyStore } from '../verify/verify.ts';
import type { VerifyReport } from '../verify/report.ts';

interface Options extends AuditOptions {
  state?: string;
  asOf?: string;
  readDataSubset?: Subset;
  allowEmpty?: true;
  checkpoint?: string[];
  policy?: string;
  metricsFile?: string;
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description(
      'prove that nothing was altered, removed, added, swapped, set back or signed with another key',
    )
    .argument('[snapshot]', 'only the documents of this snapshot, and the chain that leads to it')
    .addOption(asOfOption())
    .option(
      '--state <file or s3://…>',
      'compare with the state of the last run; replaced if the store is intact',
    )
    .option(
      '--read-data-subset <I/N>',
      'of older snapshots, read only part I of N of the documents (the chain, the signatures and the newest snapshots are always checked); today/N selects another part each day (UTC)',
      readSubset,
    )
    .option(
      '--checkpoint <file...>',
      'checkpoints of the log that you kept: the log must continue each (openssl ts -verify checks their time stamps)',
    )
    .option(
      '--policy <file>',
      'the witnesses whose cosignatures the checkpoint of the log needs (c2sp.org/tlog-policy)',
    )
    .option('--allow-empty', 'accept a store without snapshots as intact')
    .option('--metrics-file <path>', "write the result for node_exporter's textfile collector")
    .addHelpText('after', HELP)
    .action(async (snapshot: string | undefined, options: Options) => {
      const started = performance.now();
      const report = await onStore(options, async (store) => await verifyWithState(store, snapshot, options));
      const seconds = Math.round((performance.now() - started) / 10) / 100;
      if (options.json) printJson({ ...report, seconds });
      else printReport(report, seconds);
      if (!report.isIntact) process.exitCode = 1;
      if (options.metricsFile !== undefined) {
        const finishedAt = systemClock.now();
        await writeMetricsFile(options.metricsFile, verifyMetrics(report, { finishedAt, seconds }));
      }
    });
  return withAuditOptions(command, 'default: all; with a snapshot: optional if there is only one');
}

const HELP = `
${REFERENCE_HELP}
Exit status: 0 intact, 1 not intact, 2 wrong usage, 3 the store, a key or a file could not be read. Without a key,
verify proves that all objects match the chain; with --public-key, also that the holder of the private key published
them. If someone replaces the store by a complete older state, only an earlier run can reveal it: use the same --state
for every run. docs/auditing.md lists all kinds of findings and what to do about them.`;

function readSubset(text: string): Subset {
  const [, which, count] = /^([1-9]\d{0,3}|today)\/([1-9]\d{0,3})$/.exec(text) ?? [];
  const of = Number(count);
  const part = which === 'today' ? partOfDay(systemClock.now(), of) : Number(which);
  if (which === undefined || part > of)
    throw new InvalidArgumentError('expected I/N with I from 1 to N, or today/N.');
  return { part, of };
}

async function verifyWithState(
  store: ObjectStore,
  snapshot: string | undefined,
  options: Options,
): Promise<VerifyReport> {
  if (options.state === undefined) return await verify(store, snapshot, options, { heads: [], log: null });
  const location = openState(options.state);
  try {
    const before = await readState(location);
    if (before.version === null)
      process.stderr.write(`${location.name} is new: nothing was recorded to compare with\n`);
    const report = await verify(store, snapshot, options, before);
    if (report.isIntact) await writeState(location, before, report);
    return report;
  } finally {
    location.store.close();
  }
}

async function verify(
  store: ObjectStore,
  snapshot: string | undefined,
  options: Options,
  seen: Pick<SeenState, 'heads' | 'log'>,
): Promise<VerifyReport> {
  const reference = referenceOf(snapshot, options.asOf);
  const trust = await trustOf(options);
  const workspaceId =
    reference === undefined ? options.workspace : await chooseWorkspace(store, options.workspace);
  using bar = progressBar('verify, workspaces');
  return await verifyStore(store, {
    workspaceId,
    snapshot: reference,
    trust,
    seen: seen.heads,
    seenLogs: [
      ...(seen.log === null ? [] : [seen.log]),
      ...(await keptCheckpoints(options.checkpoint ?? [])),
    ],
    ...(options.policy === undefined ? {} : { policy: await readPolicy(options.policy) }),
    subset: options.readDataSubset,
    allowEmpty: options.allowEmpty,
    onStart: (workspaces) => bar.start(workspaces),
    onWorkspace: () => bar.increment(),
  });
}

async function keptCheckpoints(files: readonly string[]): Promise<TreeHead[]> {
  return await Promise.all(files.map(async (file) => parseCheckpoint(await readGiven(file), file)));
}

async function readPolicy(file: string): Promise<Policy> {
  return parsePolicy((await readGiven(file)).toString('utf8'), file);
}

async function readGiven(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function printReport({ isIntact, problems, notes, checked }: VerifyReport, seconds: number): void {
  const { stdout } = process;
  printFindings(problems);
  if (problems.length > 0 && notes.length > 0) stdout.write('\nAlso, but no sign of tampering:\n');
  printFindings(notes);
  if (problems.length + notes.length > 0) stdout.write('\n');
  const { workspaces, snapshots, documents, bytes, signatures, logEntries } = checked;
  const counts = { workspaces, snapshots, documents, bytes, 'valid signatures': signatures };
  printTable([{ ...counts, 'log entries': logEntries, seconds }]);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  printRemedies(problems);
  stdout.write(isIntact ? '\nIntact.\n' : `\nNot intact: ${count}, ${sinceText(problems)}.\n`);
}

function printFindings(findings: readonly Finding<string>[]): void {
  for (const { kind, since, objects, message } of findings) {
    const when = since === null ? '' : ` (since ${since})`;
    const more = objects.length > 1 ? ` and ${objects.length - 1} more` : '';
    const where = objects[0] === undefined ? '' : `${objects[0]}${more}: `;
    process.stdout.write(`${printable(`${kind}${when}: ${where}${message}`)}\n`);
  }
}

/** Prints the remedy, once for each kind. */
function printRemedies(problems: readonly Finding<keyof typeof problemKinds>[]): void {
  for (const kind of new Set(problems.map((problem) => problem.kind))) {
    const { meaning, remedy } = problemKinds[kind];
    process.stdout.write(`\n${kind}: ${meaning} ${remedy}\n`);
  }
}

function sinceText(problems: readonly Finding<string>[]): string {
  const dates = problems.flatMap(({ since }) => since ?? []).toSorted((a, b) => (a < b ? -1 : 1));
  return dates[0] === undefined ? 'since an unknown date' : `the oldest in the snapshot as of ${dates[0]}`;
}
