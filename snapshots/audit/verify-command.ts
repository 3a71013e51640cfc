import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { z } from 'zod';
import { printTable, printable, progressBar } from '../../lib/cli.ts';
import type { Progress } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { writeMetricsFile } from '../../lib/metrics-file.ts';
import type { Finding } from './findings.ts';
import { onStore, printJson, trustOf, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import { REFERENCE_HELP, chooseWorkspace } from './select.ts';
import { verifyMetrics } from './verify-metrics.ts';
import { verifyStore } from './verify.ts';
import type { Head, VerifyReport } from './verify.ts';

interface Options extends AuditOptions {
  seen?: string;
  metricsFile?: string;
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description(
      'prove that nothing was altered, removed, added, swapped, put back or signed by somebody else',
    )
    .argument('[snapshot]', 'only the documents of this snapshot, beside the chain that leads to it')
    .option(
      '--seen <file>',
      'the JSON that an earlier verify printed: its newest snapshots must still be in the chain',
    )
    .option('--metrics-file <path>', "what was found, for node_exporter's textfile collector")
    .addHelpText('after', HELP)
    .action(async (snapshot: string | undefined, options: Options) => {
      const started = performance.now();
      const report = await onStore(options, async (store) => {
        const trust = await trustOf(options);
        const seen = options.seen === undefined ? [] : await readSeen(options.seen);
        const workspaceId =
          snapshot === undefined ? options.workspace : await chooseWorkspace(store, options.workspace);
        let bar: Progress | undefined;
        try {
          return await verifyStore(store, {
            workspaceId,
            snapshot,
            trust,
            seen,
            onStart: (workspaces) => (bar = progressBar('verify, workspaces', workspaces)),
            onWorkspace: () => bar?.increment(),
          });
        } finally {
          bar?.stop();
        }
      });
      const seconds = Math.round((performance.now() - started) / 10) / 100;
      if (options.json) printJson({ ...report, seconds });
      else printReport(report, seconds);
      if (!report.isIntact) process.exitCode = 1;
      if (options.metricsFile !== undefined) {
        const finishedAt = systemClock.now();
        await writeMetricsFile(options.metricsFile, verifyMetrics(report, { finishedAt, seconds }));
      }
    });
  return withAuditOptions(command);
}

const HELP = `
${REFERENCE_HELP}
Exit status: 0 intact, 1 not intact, 2 wrong usage, 3 the store, a key or a file could not be read. Without a key it is proven that everything fits together; with --public-key
also that it was published by the holder of the private key. What was taken away with all its traces, down to an older
whole state, shows only against what you saw earlier: keep the JSON of every visit, and give it to --seen.`;

const seenSchema = z.object({
  heads: z.array(z.object({ workspaceId: z.string(), snapshotId: z.string(), manifestSha256: z.string() })),
});

async function readSeen(path: string): Promise<Head[]> {
  try {
    return seenSchema.parse(JSON.parse(await readFile(path, 'utf8'))).heads;
  } catch (error) {
    throw new Failure(`${path} is not what verify --json printed: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function printReport({ isIntact, problems, notes, checked }: VerifyReport, seconds: number): void {
  const { stdout } = process;
  printFindings(problems);
  if (problems.length > 0 && notes.length > 0) stdout.write('\nAlso, but no sign of tampering:\n');
  printFindings(notes);
  if (problems.length + notes.length > 0) stdout.write('\n');
  const { workspaces, snapshots, documents, bytes, signatures } = checked;
  printTable([{ workspaces, snapshots, documents, bytes, 'valid signatures': signatures, seconds }]);
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  stdout.write(isIntact ? '\nIntact.\n' : `\nNot intact: ${count}, the oldest ${sinceText(problems)}.\n`);
}

function printFindings(findings: readonly Finding<string>[]): void {
  for (const { kind, since, objects, message } of findings) {
    const when = since === null ? '' : ` (since ${since})`;
    const more = objects.length > 1 ? ` and ${objects.length - 1} more` : '';
    const where = objects[0] === undefined ? '' : `${objects[0]}${more}: `;
    process.stdout.write(`${printable(`${kind}${when}: ${where}${message}`)}\n`);
  }
}

function sinceText(problems: readonly Finding<string>[]): string {
  const dates = problems.flatMap(({ since }) => since ?? []).toSorted((a, b) => (a < b ? -1 : 1));
  return dates[0] === undefined ? 'of no certain date' : `in the snapshot as of ${dates[0]}`;
}
