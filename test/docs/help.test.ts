/** @module-tag black-box */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pageText, pages, root } from './pages.ts';

const run = promisify(execFile);

/** The first words of the rows below `Commands:` in a program's help. */
async function commandsOf(program: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [join(root, program), '--help']);
  const [, list] = stdout.split('Commands:\n');
  const names = [...list!.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name!);
  return names.filter((name) => name !== 'help');
}

test('sightline names an unknown command, with status 2', async () => {
  await expect(run(join(root, 'infra/sightline'), ['recrods'])).rejects.toMatchObject({
    code: 2,
    stderr: "sightline: unknown command 'recrods'; sightline --help lists them\n",
  });
});

test.each([
  ['job', 'jobs/cli.ts'],
  ['records', 'gateway/records/commands/cli.ts'],
  ['audit', 'snapshots/cli.ts'],
])('sightline --help lists every command of %s', async (name, program) => {
  const { stdout } = await run(join(root, 'infra/sightline'), ['--help']);
  const [, listed] = new RegExp(`^  ${name} +(.*(?:\\n {13}.*)*)$`, 'm').exec(stdout)!;
  expect(listed!.split(/,\s+/)).toEqual(await commandsOf(program));
});

test.each([
  ['job', 'jobs/cli.ts'],
  ['records', 'gateway/records/commands/cli.ts'],
  ['audit', 'snapshots/cli.ts'],
])('every command of %s is on a page', async (name, program) => {
  const shown = pages
    .filter((page) => /^(?:README|docs\/[\w-]+)\.md$/.test(page))
    .map(pageText)
    .join('\n');
  const isShown = (command: string) =>
    shown.includes(`sightline ${name} ${command}`) || shown.includes(`${name} -- ${command}`);
  const missing = (await commandsOf(program)).filter((command) => !isShown(command));
  expect(missing).toEqual(name === 'job' ? ['recompute'] : []); // the auditor's rebuild runs it
});
