import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { vi } from 'vitest';
import { runHere } from './command-line.ts';
import type { Ended } from './program.ts';

type Settings = Record<string, string>;

/** A part of a session, or what happens between two of them; returned settings replace others from there on. */
export type Step = string | (() => Promise<Settings | void> | Settings | void);

/**
 * Runs the command lines of a session: those that begin with `$ `, which lines with `> ` continue. The project's commands run
 * in this process, all others in a shell. Lines that begin with a blank are what was printed before, so a transcript is a
 * session again. All other lines are prose.
 *
 * `NAME=value` before a command of the project is a setting of this command alone, and `$NAME` is the value of a setting.
 * The setting `NOW` stops the clock; without it, times are left out. `TICK` is by how many milliseconds a stopwatch then
 * moves on whenever it is read. With `TERMINAL` the progress is shown.
 * @returns the session with what each line prints, indented: standard output, errors after `! `, and the status if it is not
 *   0; without what differs from run to run
 */
export async function transcriptOf(
  session: readonly Step[],
  place: { folder?: string; settings: Settings },
): Promise<string> {
  const settings = { ...place.settings };
  const stable = stabilizer();
  let transcript = '';
  for (const step of session.flatMap(partsOf)) {
    if (typeof step !== 'string') Object.assign(settings, await step());
    else if (!step.startsWith('$ ')) transcript += `\n${step}\n\n`;
    else {
      const line = step.slice(2).replaceAll('\n> ', '\n');
      const printed = stable(shown(await run(line, place.folder, settings)));
      transcript += `${step}\n${settings['NOW'] === undefined ? withoutTimes(printed) : printed}`;
    }
  }
  return transcript.trimStart();
}

/** The command lines of a text, and the prose between them. */
function partsOf(step: Step): readonly Step[] {
  if (typeof step !== 'string') return [step];
  const lines = step.split('\n').filter((line) => /^[^ ]/.test(line));
  return lines.join('\n').match(/^\$ .*(?:\n> .*)*|^.+(?:\n(?!\$ ).+)*/gm) ?? [];
}

/** A command line of the project, after its settings. */
const OURS = /^((?:[A-Z_]+=\S* )*)(audit|doctor|gateway|job|records|start)(?: (.*))?$/;

async function run(line: string, folder: string | undefined, others: Settings): Promise<Ended> {
  const [, given = '', program, words = ''] = OURS.exec(line) ?? [];
  if (program === undefined) {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', NODE: process.execPath, ...others };
    return spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
  }
  const expanded = (word: string) => word.replaceAll(/\$(\w+)/g, (_, name: string) => others[name]!);
  const own = [...given.matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name, expanded(value!)]);
  const settings: Settings = { ...others, ...Object.fromEntries(own) };
  const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? expanded(word!));
  const [clock, stopwatch] = [vi.spyOn(Date, 'now'), vi.spyOn(performance, 'now')];
  if (settings['NOW'] !== undefined) {
    clock.mockReturnValue(Date.parse(settings['NOW']));
    let time = 0;
    stopwatch.mockImplementation(() => (time += Number(settings['TICK'] ?? 0)));
  }
  try {
    return await runHere(program as 'job', args, { folder, settings });
  } finally {
    clock.mockRestore();
    stopwatch.mockRestore();
  }
}

function shown({ status, stdout, stderr }: Ended): string {
  return `${indented(stdout, '  ')}${indented(stderr, '  ! ')}${status === 0 ? '' : `  [${status}]\n`}`;
}

/** Each line with something before it. */
function indented(text: string, before: string): string {
  if (text === '') return '';
  const whole = text.endsWith('\n') ? text : `${text}\n\\ no newline at the end\n`;
  const lines = whole
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u001B[K\r', '\n')
    .replaceAll(/\r|\p{Cc}\[K/gu, '')
    .split('\n')
    .slice(0, -1);
  return lines.map((line) => `${line === '' ? before.trimEnd() : `${before}${line}`}\n`).join('');
}

/** A text without what differs from run to run; with a running clock that includes times. */
export function stableText(text: string): string {
  return withoutTimes(stabilizer()(text));
}

/** Its place among those that were found before, from 1. A hash is also named by its first 16 characters. */
function numberOf(found: string, known: string[]): number {
  const at = known.findIndex((each) => each.startsWith(found.slice(0, 16)));
  return at === -1 ? known.push(found) : at + 1;
}

/**
 * Returns a function that replaces what is of a machine, a run or a version. Keys and hashes are numbered in their order: the
 * third hash is `0…03`, as long as it was.
 */
function stabilizer(): (text: string) => string {
  const [keys, hashes]: [string[], string[]] = [[], []];
  const prefixOf = (prefix: string) => {
    const at = keys.findIndex((key) => key.startsWith(prefix));
    return at === -1 ? prefix : `vis_PREFIX-${at + 1}`;
  };
  const folders = new RegExp(`(?:${realpathSync(tmpdir())}|${tmpdir()})/sightline-of-tests-\\w+`, 'g');
  return (text) =>
    text
      .replaceAll(folders, 'FOLDER')
      .replaceAll(`"host":"${hostname()}"`, '"host":"HOST"')
      .replaceAll(/(?<=127\.0\.0\.1:)\d{4,5}\b/g, 'PORT')
      .replaceAll(/\d+(?:\.\d)? [GM]B of \d+(?:\.\d)? [GM]B free at [^\s"]+/g, 'SPACE free at FOLDER')
      .replaceAll(/(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}(?!\.?\d)/g, 'VERSION')
      .replaceAll(/(?<=\.part-)[0-9a-f-]{36}/g, 'UUID')
      .replaceAll(/vis_[0-9a-f]{48}/g, (key) => `KEY-${numberOf(key, keys)}`)
      .replaceAll(/vis_[0-9a-f]{8}\b/g, prefixOf)
      .replaceAll(
        /\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16}(?=…))\b|(?<=[-/])[0-9a-f]{16}(?![0-9a-f-])/g,
        (hash) => String(numberOf(hash, hashes)).padStart(hash.length, '0'),
      );
}

/** Without times, and what depends on them. Columns keep their widths. */
function withoutTimes(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?/g, (time) =>
      '2026-01-01T00:00:00.000Z'.slice(0, time.length),
    )
    .replaceAll(/\d{8}T\d{6}\.\d{3}Z-/g, 'TIME-')
    .replaceAll(/(?<=bytes instead of )\d+/g, 'N')
    .replaceAll(/\d+\.\d s (?=ahead|behind)/g, 'N s ');
}
