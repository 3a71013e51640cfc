import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { formatTable, progressBar, runCommand } from '../../lib/cli.ts';
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

/** Half of a progress bar. */
function draw(isTerminal: boolean): void {
  Object.assign(process.stderr, { isTTY: isTerminal });
  using bar = progressBar('counting');
  bar.start(2);
  bar.increment();
}

test('a progress bar on a terminal shows how much is done, and ends with a line break; elsewhere there is none', () => {
  const { isTTY } = process.stderr;
  onTestFinished(() => void Object.assign(process.stderr, { isTTY }));
  const text = written();
  draw(false);
  expect(text()).toBe('');
  draw(true);
  const drawn = text().replaceAll('\u001b[K', '').split('\r');
  expect(drawn[1]).toBe(`counting ${'░'.repeat(30)} 0/2`);
  expect(drawn.at(-1)).toBe(`counting ${'█'.repeat(15)}${'░'.repeat(15)} 1/2\n`);
});

test('a table has text left and numbers right, without borders, trailing spaces and control characters', () => {
  const rows = [
    { name: 'A\u001B[31mcme', mentions: 12, note: 'first\nsecond' },
    { name: 'Café Noir', mentions: 3, note: null },
  ];
  expect(formatTable(rows)).toBe(
    ['name       mentions  note', 'A [31mcme        12  first second', 'Café Noir         3  -', ''].join(
      '\n',
    ),
  );
});

test('the reason why no address of a name can be reached names each of them', () => {
  const errors = [new Error('connect ECONNREFUSED 127.0.0.1:1'), new Error('connect ECONNREFUSED ::1:1')];
  expect(reasonOf(new AggregateError(errors))).toBe(errors.map(({ message }) => message).join('; '));
});
