/** @module-tag long */
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatTable } from '../../lib/cli.ts';
import { describeWith } from '../support/requires.ts';

const program = fileURLToPath(new URL('./cli.program.ts', import.meta.url));

async function run(...words: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return await runWith({}, ...words);
}

async function runWith(settings: Record<string, string>, ...words: string[]) {
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, ...output };
}

describe('runCommand', () => {
  test('a successful command exits 0', async () => {
    expect(await run('work', '3')).toEqual({ status: 0, stdout: 'worked 3\n', stderr: '' });
  });

  test.each([
    ['an unknown option', ['work', '3', '--nonsense']],
    ['an unknown command', ['nonsense']],
    ['no command', []],
    ['a missing argument', ['work']],
    ['an argument too many', ['work', '3', '4']],
    ['an argument that its parser refuses', ['work', 'three']],
    ['an argument that the action refuses', ['work', '13']],
  ])('%s is wrong usage: exits 2, explained on stderr, without a stack', async (_, words) => {
    const result = await run(...words);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toMatch(/error:|Usage:/);
    expect(result.stderr).not.toContain('    at ');
  });

  test.each([[['--help']], [['work', '--help']], [['--version']]])('%j exits 0', async (words) => {
    const result = await run(...words);
    expect(result).toMatchObject({ status: 0, stderr: '' });
    expect(result.stdout).toMatch(/^Usage: sample|^\d+\.\d+\.\d+\n$/);
  });

  test('a failure is one line on stderr and exits 1', async () => {
    const line = 'sightline: file.ndjson cannot be read: gone for good\n';
    expect(await run('fail')).toEqual({ status: 1, stdout: '', stderr: line });
  });

  test('a failure because something cannot be reached exits 3, also if another failure reports it', async () => {
    expect(await run('wait')).toEqual({
      status: 3,
      stdout: '',
      stderr: 'sightline: the lake cannot be opened\n',
    });
  });

  test('a wrong setting is wrong usage: exits 2, with one line on stderr', async () => {
    const line = 'sightline: setting does not parse: PORT: expected a whole number\n';
    expect(await run('configure')).toEqual({ status: 2, stdout: '', stderr: line });
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

  test('a status that the action has set is kept', async () => {
    expect(await run('differ')).toMatchObject({ status: 1, stderr: '' });
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

  test('returns an empty text for no rows', () => {
    expect(formatTable([])).toBe('');
  });

  test('removes control characters', () => {
    expect(formatTable([{ name: 'a\u001B[31mb\nc' }])).toBe('name\na [31mb c\n');
  });
});
