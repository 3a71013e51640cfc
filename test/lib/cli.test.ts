/** @module-tag long */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatTable } from '../../lib/cli.ts';
import { runProgram } from '../support/program.ts';
import { describeWith } from '../support/requires.ts';

const program = fileURLToPath(new URL('./cli.program.ts', import.meta.url));

const run = async (...words: string[]) => await runProgram(program, words, {});

describe('runCommand', () => {
  test('a failure is one line on stderr and exits 1', async () => {
    const line = 'sightline: file.ndjson cannot be read: gone for good\n';
    expect(await run('fail')).toEqual({ status: 1, stdout: '', stderr: line });
  });

  test('a defect keeps its stack and exits 1', async () => {
    const result = await run('break');
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^TypeError: a defect\n {4}at /);
  });

  test('a full disk of the scratch folder is one line that names TMPDIR, also from a library', async () => {
    const { status, stderr } = await run('fill');
    expect(status).toBe(3);
    expect(stderr).toMatch(/^sightline: .*No space left on device; set TMPDIR to an existing folder .*\n$/);
  });

  test('a full disk of the lake is not blamed on the scratch folder that a file was copied from', async () => {
    const { status, stderr } = await run('fill-lake');
    expect(status).toBe(1);
    expect(stderr).not.toContain('TMPDIR');
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

  test('a progress bar prints nothing if stderr is not a terminal', async () => {
    expect(await run('progress')).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe('formatTable', () => {
  test('aligns text left and numbers right, without borders or trailing spaces', () => {
    const rows = [
      { name: 'Acme', mentions: 12, note: 'first' },
      { name: 'Café Noir', mentions: 3, note: null },
    ];
    expect(formatTable(rows)).toBe(
      ['name       mentions  note', 'Acme             12  first', 'Café Noir         3  -', ''].join('\n'),
    );
  });

  test('removes control characters', () => {
    expect(formatTable([{ name: 'a\u001B[31mb\nc' }])).toBe('name\na [31mb c\n');
  });
});
