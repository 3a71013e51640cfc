import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addCommands, formatTable, progressBar, runCommand } from '../../lib/cli.ts';
import { Failure, reasonOf } from '../../lib/failure.ts';

/** What is written to standard error from now on. */
function written(): () => string {
  const texts: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => texts.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  return () => texts.join('');
}

const spilled = `${tmpdir()}/sightline-ingest-x/a.parquet`;

test.each<[string, Error, number, RegExp]>([
  [
    'a failure is one line',
    new Failure('file.ndjson cannot be read:\n  gone for good'),
    1,
    /^sightline: file.ndjson cannot be read: gone for good\n$/,
  ],
  ['a defect keeps its stack', new TypeError('a defect'), 1, /^TypeError: a defect\n {4}at /],
  [
    'a full disk of the scratch folder is one line that names TMPDIR, also from a library',
    new Error(`IO Error: Could not write file "${spilled}": No space left on device`),
    3,
    /^sightline: .*No space left on device; set TMPDIR to an existing folder .*\n$/,
  ],
  [
    'a full disk of the lake is not blamed on the scratch folder that a file was copied from',
    new Failure(`/lake/a.parquet cannot be written: ENOSPC, copyfile '${spilled}' -> '/lake/a.parquet'`),
    1,
    /^(?!.*TMPDIR)sightline: .*ENOSPC.*\n$/,
  ],
])('%s', async (_, error, status, message) => {
  const complaint = written();
  onTestFinished(() => void (process.exitCode = undefined));
  const fail = () =>
    new Command().action(() => {
      throw error;
    });
  expect(await runCommand(fail, ['node', 'sample'])).toBe(status);
  expect(complaint()).toMatch(message);
});

test('a reader that closes the pipe early ends a command without a complaint', () => {
  const cli = JSON.stringify(join(import.meta.dirname, '../../lib/cli.ts'));
  const program = `
    import { Command } from 'commander';
    import { runCommand } from ${cli};
    await runCommand(() => new Command().action(() => console.log('unread')), ['node', 'sample']);`;
  const command = ['-c', '"$0" --input-type=module -e "$1" | true', process.execPath, program];
  expect(spawnSync('sh', command, { encoding: 'utf8' }).stderr).toBe('');
});

test('a progress bar on a terminal shows how much is done, ten times a second; elsewhere there is none', () => {
  const { isTTY } = process.stderr;
  onTestFinished(() => void Object.assign(process.stderr, { isTTY }));
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const text = written();
  for (const isTerminal of [false, true]) {
    Object.assign(process.stderr, { isTTY: isTerminal });
    progressBar('not started')[Symbol.dispose]();
    using bar = progressBar(isTerminal ? 'counting' : 'unseen');
    bar.start(0);
    bar.start(3);
    for (const [ms, by] of [
      [99, undefined],
      [1, 0.5],
      [100, 9],
    ] as const) {
      vi.advanceTimersByTime(ms);
      bar.increment(by);
    }
  }
  const bars = [
    [30, '0/0'],
    [0, '0/3'],
    [15, '2/3'],
    [30, '11/3'],
    [30, '11/3'],
  ] as const;
  const shown = bars.map(
    ([full, done]) => `counting ${'█'.repeat(full)}${'░'.repeat(30 - full)} ${done}\u001b[K`,
  );
  expect(text()).toBe(`${shown.map((each) => `\r${each}`).join('')}\n`);
});

test('a table has text left and numbers right, without borders, trailing spaces and control characters', () => {
  const rows = [
    { name: 'A\u001B[31mcme', mentions: 12, note: 'first\nsecond' },
    { name: 'Café Noir', mentions: 3, note: null },
  ];
  const lines = ['name       mentions  note', 'A [31mcme        12  first second', 'Café Noir         3  -'];
  expect(formatTable(rows)).toBe(`${lines.join('\n')}\n`);
});

test('the reason why no address of a name can be reached names each of them', () => {
  const errors = [new Error('connect ECONNREFUSED 127.0.0.1:1'), new Error('connect ECONNREFUSED ::1:1')];
  const reasons = [new AggregateError(errors), new AggregateError(errors, 'none')].map(reasonOf);
  expect(reasons).toEqual([errors.map(({ message }) => message).join('; '), 'none']);
});

const load = (name: string) => async (program: Command) => program.addCommand(new Command(name));
const loaded = async (...args: string[]) =>
  (await addCommands(new Command(), { one: load('one'), two: load('two') }, ['', '', ...args])).commands
    .length;

test('a program loads the command that is named, and all of them if none is', async () => {
  expect([await loaded('two', 'one'), await loaded('constructor'), await loaded()]).toEqual([1, 2, 2]);
});
