import { SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { Failure, isSystemError, reasonOf } from './failure.ts';
import { VERSION } from './version.ts';

/**
 * Builds and runs a command line (`argv` as in `process.argv`) and sets the exit status, which it
 * also returns: 0 it did its work, 1 it could not, 2 wrong usage. A {@link Failure} or an error of the operating
 * system is one line, `sightline: MESSAGE`, on stderr, also where building throws it; anything else that is thrown
 * is a defect and keeps its stack. An action that finds its arguments wrong calls `command.error(MESSAGE)`; one that
 * did its work and must still say 1 sets `process.exitCode`.
 * @param failureStatus the exit status of a command that could not do its work, where 1 has another meaning.
 */
export async function runCommand(
  build: () => Command,
  argv: readonly string[],
  failureStatus = 1,
): Promise<number> {
  process.stdout.on('error', stopWhenNobodyReads);
  try {
    const program = build().version(VERSION, '--version');
    throwInsteadOfExiting(program);
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      process.stderr.write(`${complaintOf(error)}\n`);
      process.exitCode = failureStatus;
    }
  }
  return Number(process.exitCode ?? 0);
}

function throwInsteadOfExiting(command: Command): void {
  command.exitOverride().showHelpAfterError('(see --help)');
  for (const child of command.commands) throwInsteadOfExiting(child);
}

function complaintOf(error: unknown): string {
  if (error instanceof Failure || isSystemError(error) || !(error instanceof Error))
    return `sightline: ${printable(reasonOf(error).replaceAll(/\s*\n\s*/g, ' '))}`;
  return error.stack ?? error.message;
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
  for (const row of rows) table.push(heads.map((head) => cellText(row[head])));
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

function cellText(cell: TableRow[string] | undefined): string {
  return cell === null || cell === undefined ? '-' : printable(String(cell));
}

/**
 * Text for a terminal or a page, with a blank for each character that could move the cursor or reverse the text
 * after it: names come from answer engines, and names of files from anyone who can write to the store.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
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
