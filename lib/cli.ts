import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { Failure } from './failure.ts';
import { VERSION } from './version.ts';

/**
 * Builds and runs a command line (`argv` as in `process.argv`) and sets the exit status (inputs.md 4), which it
 * also returns: 0 it did its work, 1 it could not, 2 wrong usage. A {@link Failure} is one line,
 * `sightline: MESSAGE`, on stderr, also where building throws it; anything else that is thrown is a defect and
 * keeps its stack. An action that finds its arguments wrong calls `command.error(MESSAGE)`; one that did its work
 * and must still say 1 sets `process.exitCode`.
 */
export async function runCommand(build: () => Command, argv: readonly string[]): Promise<number> {
  process.stdout.on('error', stopWhenNobodyReads);
  try {
    const program = build().version(VERSION, '--version');
    throwInsteadOfExiting(program);
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = statusOf(error);
  }
  return Number(process.exitCode ?? 0);
}

function throwInsteadOfExiting(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help tells what it takes)');
  for (const child of command.commands) throwInsteadOfExiting(child);
}

function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const text =
    error instanceof Failure
      ? `sightline: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}`
      : error instanceof Error
        ? error.stack
        : `sightline: ${String(error)}`;
  process.stderr.write(`${text}\n`);
  return 1;
}

/** `… | head` closes the pipe early, which is no defect of ours. */
function stopWhenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}

export type TableRow = Record<string, string | number | bigint | boolean | null>;

/** Rows as plain text without borders, the keys of the first row as heads, numbers to the right. No rows: ''. */
export function formatTable(rows: readonly TableRow[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const table = new Table({
    head: heads,
    colAligns: heads.map((head) => (rows.every((row) => isNumber(row[head])) ? 'right' : 'left')),
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(heads.map((head) => printable(row[head])));
  return rows.length === 0 ? '' : `${table.toString().replaceAll(/ +$/gm, '')}\n`;
}

export function printTable(rows: readonly TableRow[]): void {
  process.stdout.write(formatTable(rows));
}

const edges = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const borderless = {
  ...Object.fromEntries(
    edges.flatMap((e) => [
      [e, ''],
      [`${e}-mid`, ''],
      [`${e}-left`, ''],
      [`${e}-right`, ''],
    ]),
  ),
  middle: '  ',
};

function isNumber(cell: TableRow[string] | undefined): boolean {
  return typeof cell === 'number' || typeof cell === 'bigint' || cell === null;
}

/** Names come from answer engines: a control character in one must not reach the terminal. */
function printable(cell: TableRow[string] | undefined): string {
  return cell === null || cell === undefined ? '-' : String(cell).replaceAll(/\p{Cc}/gu, ' ');
}

export interface Progress {
  increment(by?: number): void;
  stop(): void;
}

/** A progress bar on stderr, where that is a terminal; otherwise silent. Stop it, also after a failure. */
export function progressBar(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { increment: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: `${label} {bar} {value}/{total} ({eta_formatted})`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: false,
    gracefulExit: false, // its signal handlers would keep the process from dying of the signal
  });
  bar.start(total, 0);
  return { increment: (by = 1) => bar.increment(by), stop: () => bar.stop() };
}
