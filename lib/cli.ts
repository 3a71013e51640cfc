import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { CommanderError, InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { exitStatusOf, Failure, isDefect, reasonOf } from './failure.ts';
import { isUuid } from './uuid.ts';
import { VERSION } from './version.ts';

/**
 * Builds and runs a command line (`argv` as in `process.argv`). Sets the exit status and returns it: 0 success,
 * 1 failure, 2 wrong usage or setting, 3 nothing was decided, try again ({@link exitStatusOf}). A {@link Failure} or an error of the operating system is printed as one line,
 * `sightline: MESSAGE`, on stderr, even if `build` throws it; any other exception is a defect and keeps its stack.
 * An action that finds its arguments wrong calls `command.error(MESSAGE)`; an action that succeeds but must exit
 * with 1 sets `process.exitCode`.
 * @param failureStatus instead of 1, for commands in which 1 has another meaning.
 */
export async function runCommand(
  build: () => Command | Promise<Command>,
  argv: readonly string[],
  failureStatus = 1,
): Promise<number> {
  process.stdout.on('error', stopWhenNobodyReads);
  try {
    const program = (await build()).version(VERSION, '--version');
    throwInsteadOfExiting(program);
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      process.stderr.write(`${complaintOf(error)}\n`);
      const status = isOfFullScratch(reasonOf(error)) ? 3 : exitStatusOf(error);
      process.exitCode = status === 1 ? failureStatus : status;
    }
  }
  return Number(process.exitCode ?? 0);
}

/** For each name of a command, what loads it and adds it to its program. */
export type Loaders = Record<string, (program: Command) => Promise<Command>>;

/**
 * Adds to a program the command that `argv` names, or all if it names none. Loading all of them takes up to half a second
 * more than one.
 * @returns the program
 */
export async function addCommands(
  program: Command,
  commands: Loaders,
  argv: readonly string[],
): Promise<Command> {
  const named = argv[2] ?? '';
  const names = Object.hasOwn(commands, named) ? [named] : Object.keys(commands);
  for (const name of names) await commands[name]!(program);
  return program;
}

/** A UUID that was given in any case, in lower case. @throws InvalidArgumentError */
export function uuidArgument(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('expected a UUID.');
  return text.toLowerCase();
}

function throwInsteadOfExiting(command: Command): void {
  command.exitOverride().showHelpAfterError('(see --help)');
  for (const child of command.commands) throwInsteadOfExiting(child);
}

function complaintOf(error: unknown): string {
  const reason = reasonOf(error);
  if (isDefect(error) && !FULL_DISK.test(reason)) return error.stack!;
  const advice = isOfFullScratch(reason)
    ? '; set TMPDIR to an existing folder on a disk with free space'
    : '';
  const details = error instanceof Failure ? error.details.map((line) => `\n  ${printable(line)}`) : [];
  return `sightline: ${printable(reason.replaceAll(/\s*\n\s*/g, ' '))}${advice}${details.join('')}`;
}

/** DuckDB's error of a full disk is not a system error. */
const FULL_DISK = /ENOSPC|No space left on device/;

/** The scratch folder is full or missing, which is no fault of what the command was given. */
function isOfFullScratch(reason: string): boolean {
  // A copy from the scratch folder to a full disk names the scratch folder too.
  const place = reason.replaceAll(/copyfile '[^']*' -> /g, '');
  const isOfScratch = place.includes(join(tmpdir(), 'sightline-'));
  return isOfScratch && (FULL_DISK.test(reason) || reason.includes('mkdtemp'));
}

/** `… | head` closes the pipe early, which is not a defect. */
function stopWhenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}

export type TableRow = Record<string, string | number | bigint | boolean | null>;

/**
 * Rows as a plain-text table without borders. The keys of the first row are the header; numbers are right-aligned. No
 * rows: ''.
 */
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
  return printable(String(cell ?? '-'));
}

/**
 * Replaces each character that could move a terminal's cursor or reverse the following text by a blank. Names come
 * from answer engines, and file names from anyone who can write to the store.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ');
}

export interface Progress extends Disposable {
  start(total: number): void;
  increment(by?: number): void;
}

const nothing = () => undefined;

const BAR_WIDTH = 30;
const REDRAW_MS = 100;

/** A progress bar on stderr, if that is a terminal. Disposing it ends it. */
export function progressBar(label: string): Progress {
  if (!process.stderr.isTTY) return { start: nothing, increment: nothing, [Symbol.dispose]: nothing };
  let [total, value, drawnAt] = [0, 0, -Infinity];
  const draw = () => {
    const share = total === 0 ? 1 : Math.min(1, value / total);
    const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    process.stderr.write(`\r${label} ${bar} ${Math.ceil(value)}/${Math.ceil(total)}\u001b[K`);
    drawnAt = performance.now();
  };
  return {
    start: (all) => {
      total = all;
      draw();
    },
    increment: (by = 1) => {
      value += by;
      if (performance.now() - drawnAt >= REDRAW_MS) draw();
    },
    [Symbol.dispose]: () => {
      if (drawnAt === -Infinity) return; // not started
      draw();
      process.stderr.write('\n');
    },
  };
}
