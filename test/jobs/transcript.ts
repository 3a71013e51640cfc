import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';
import { vi } from 'vitest';
import { systemClock, systemTimer } from '../../lib/clock.ts';
import { VERSION } from '../../lib/version.ts';
import { runHere } from '../support/command-line.ts';
import type { Ended } from '../support/program.ts';

/** A command line of the project, after its settings. */
const OURS = /^((?:[A-Z_]+=\S* )*)(job|audit) (.*)$/s;

/**
 * Runs the lines of a session in a folder: those that begin with `$ `, which lines with `> ` continue. `job` and `audit` run
 * in this process, all others in a shell.
 * @returns the session with what each line prints, indented: standard output, errors after `! `, and the status if it is not 0
 */
export async function transcriptOf(session: string, folder: string): Promise<string> {
  const stable = stabilizer(folder);
  const printed: string[] = [];
  for (const part of session.replaceAll(/^ .*\n/gm, '').split(/^(?=\$ )/m)) {
    const [command] = /^\$ .*\n(?:> .*\n)*/.exec(part) ?? [];
    if (command === undefined) printed.push(part);
    else {
      const ended = await run(command.slice(2, -1).replaceAll('\n> ', '\n'), folder);
      printed.push(command, stable(shown(ended)), part.slice(command.length));
    }
  }
  return printed.join('');
}

const env = { PATH: process.env['PATH'], LC_ALL: 'C', NODE: process.execPath };

async function run(line: string, folder: string): Promise<Ended> {
  const [, given, program, rest] = OURS.exec(line) ?? [];
  if (program === undefined) return spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
  const pairs = given!.trim().split(' ').filter(Boolean);
  const { NOW, UNTIL, ...settings } = Object.fromEntries(pairs.map((pair) => pair.split('='))) as Record<
    string,
    string
  >;
  const words = [...rest!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  try {
    setTime(NOW ?? '2026-11-16T12:00:00Z', UNTIL);
    const create = DuckDBInstance.create.bind(DuckDBInstance);
    // As `deliver` does: with one thread it takes three quarters of the CPU time for so few records.
    vi.spyOn(DuckDBInstance, 'create').mockImplementation(
      async (path, options) => await create(path, { threads: '1', ...options }),
    );
    return await runHere(program as 'job' | 'audit', words, { folder, settings });
  } finally {
    vi.restoreAllMocks();
  }
}

/**
 * The clock stands still, but for a scheduler: it looks every second, which takes no time here, and gets SIGTERM when the
 * clock shows `end`. What waits longer waits for its signal.
 */
function setTime(start: string, end?: string): void {
  let now = Date.parse(start);
  const others = process.listeners('SIGTERM');
  vi.spyOn(systemClock, 'now').mockImplementation(() => now);
  vi.spyOn(performance, 'now').mockReturnValue(0);
  vi.spyOn(systemTimer, 'wait').mockImplementation(async (ms, signal) => {
    if (ms > 1000) await once(signal, 'abort');
    else now += ms;
    if (now < Date.parse(end!)) return;
    // Its timer would end this process, which lives on.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    for (const listener of process.listeners('SIGTERM').filter((each) => !others.includes(each)))
      listener('SIGTERM');
    vi.useRealTimers();
  });
}

function shown({ status, stdout, stderr }: Ended): string {
  const readable = stdout.replaceAll(/^\{.*\}$/gm, (json) => JSON.stringify(JSON.parse(json), null, 1));
  return `${lines(readable, '  ')}${lines(stderr, '  ! ')}${status === 0 ? '' : `  [${status}]\n`}`;
}

/** Each line that is not blank, with something before it. */
function lines(text: string, before: string): string {
  const found = text.replaceAll('\u2028', String.raw`\u2028`).split('\n');
  return found.map((line) => (line.trim() === '' ? '' : `${before}${line}\n`)).join('');
}

/** Returns a function that leaves out what is of a machine, a run or a version, and numbers hashes. */
function stabilizer(folder: string): (text: string) => string {
  const hashes: string[] = [];
  const numberOf = (hash: string) => {
    const found = hashes.findIndex((known) => known.startsWith(hash.slice(0, 16)));
    return `HASH-${found === -1 ? hashes.push(hash) : found + 1}`;
  };
  return (text) =>
    text
      .replaceAll(`${folder}/`, '/…/')
      .replaceAll(hostname(), 'HOST')
      .replaceAll(VERSION, 'VERSION')
      .replaceAll(/"(time|pid)": ?\d+/g, '"$1": 0')
      .replaceAll(/\b[0-9a-f]{64}\b|(?<=[-/])[0-9a-f]{16}(?![0-9a-f-])/g, numberOf);
}
