import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { runHere } from '../support/command-line.ts';
import { pageText, pages, root } from './pages.ts';

const programs = ['job', 'records', 'audit'] as const;
type Program = (typeof programs)[number];

const sightline = join(root, 'infra/sightline');

/** By command, such as `records key create`, the options in its help. */
const options = new Map<string, Set<string>>();
beforeAll(async () => {
  for (const program of programs) await readHelp(program);
});

/** Reads the help of a command and of those below it. */
async function readHelp(program: Program, ...words: string[]): Promise<void> {
  const { stdout } = await runHere(program, [...words, '--help']);
  options.set([program, ...words].join(' '), new Set(stdout.match(/(?<=^ +(?:-\w, )?)--[a-z][a-z-]*/gm)));
  const [, list = ''] = stdout.split('Commands:\n');
  for (const [, child] of list.matchAll(/^ {2}([a-z]+)\b/gm))
    if (child !== 'help') await readHelp(program, ...words, child!);
}

/** The pages for users. */
const texts = pages.filter((page) => /^(?:README|docs\/[\w-]+)\.md$/.test(page)).map(pageText);

/** Every mention of a command on a page: the command, and the words after it. */
function mentions(): { text: string; command: string; words: string[] }[] {
  const pattern = /(?:sightline|npm run(?: --silent)?) (job|records|audit) (?:-- )?([^\n`;|&)]*)/g;
  return texts.flatMap((text) =>
    [...text.replaceAll('\\\n', ' ').matchAll(pattern)].map(([mention, program, rest]) => {
      const words = rest!.split(/[ ,]+/);
      let command = program!;
      while (options.has(`${command} ${words[0]}`)) command += ` ${words.shift()}`;
      return { text: mention, command, words };
    }),
  );
}

test('every command and option on a page exists', () => {
  const wrong = mentions().filter(
    ({ command, words }) =>
      (!command.includes(' ') && words[0] !== '…') ||
      words.some((word) => {
        const [option] = /^--[a-z-]+/.exec(word) ?? [];
        return option !== undefined && !options.get(command)!.has(option);
      }),
  );
  expect(wrong).toEqual([]);
  const all = new Set([...options.values()].flatMap((names) => [...names]));
  const ofOthers = new Set(['--dry-run', '--collector', '--ramp']); // of infra/install, the exporter and the load test
  const named = texts.flatMap((text) => text.match(/(?<=[^`]`)--[a-z][a-z-]*/g) ?? []);
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((option) => !all.has(option) && !ofOthers.has(option))).toEqual([]);
});

test('every command is on a page', () => {
  const shown = new Set(mentions().map(({ command }) => command));
  const isGroup = (command: string) => [...options.keys()].some((other) => other.startsWith(`${command} `));
  const missing = [...options.keys()].filter((command) => !isGroup(command) && !shown.has(command));
  expect(missing).toEqual(['job recompute']); // the auditor's rebuild runs it
});

test('sightline --help lists every command, and an unknown one is named with status 2', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(sightline, ['--help']);
  for (const program of programs) {
    const [, listed] = new RegExp(`^  ${program} +(.*(?:\\n {13}.*)*)$`, 'm').exec(stdout)!;
    const known = [...options.keys()].map((command) => command.split(' '));
    const own = known.filter(([first, ...words]) => first === program && words.length === 1);
    expect(listed!.split(/,\s+/)).toEqual(own.map(([, name]) => name));
  }
  await expect(run(sightline, ['recrods'])).rejects.toMatchObject({
    code: 2,
    stderr: "sightline: unknown command 'recrods'; sightline --help lists them\n",
  });
});
