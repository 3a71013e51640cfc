/** @module-tag long */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { formatTable } from '../../lib/cli.ts';
import { runProgram } from '../support/program.ts';
import { describeWith } from '../support/requires.ts';

const program = fileURLToPath(new URL('./cli.program.ts', import.meta.url));

test.each([
  ['a failure is one line', 'fail', 1, /^sightline: file.ndjson cannot be read: gone for good\n$/],
  ['a defect keeps its stack', 'break', 1, /^TypeError: a defect\n {4}at /],
  [
    'a full disk of the scratch folder is one line that names TMPDIR, also from a library',
    'fill',
    3,
    /^sightline: .*No space left on device; set TMPDIR to an existing folder .*\n$/,
  ],
  [
    'a full disk of the lake is not blamed on the scratch folder that a file was copied from',
    'fill-lake',
    1,
    /^(?!.*TMPDIR)sightline: .*ENOSPC.*\n$/,
  ],
])('%s', async (_, command, status, stderr) => {
  expect(await runProgram(program, [command], {})).toEqual({
    status,
    stdout: '',
    stderr: expect.stringMatching(stderr) as string,
  });
});

describeWith(['script'], 'on a terminal', () => {
  test('a progress bar shows how much is done, and ends with a line break', async () => {
    const command = `"${process.execPath}" "${program}" progress`;
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null']);
    const drawn = stdout.split('\r').map((text) => text.replace('\u001b[K', ''));
    expect(drawn[1]).toBe(`counting ${'░'.repeat(30)} 0/2`);
    expect(drawn.slice(-2)).toEqual([`counting ${'█'.repeat(15)}${'░'.repeat(15)} 1/2`, '\n']);
  });
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
