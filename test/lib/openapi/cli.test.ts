import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../../lib/openapi/cli.ts', import.meta.url));

async function openapi(...words: string[]): Promise<{ status: number | null; stderr: string }> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, stderr };
}

describe('npm run openapi', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-openapi-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('writes a description that --check accepts, in a folder that it makes', async () => {
    const out = join(folder, 'deep/er/openapi.json');
    expect(await openapi('--out', out)).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({ openapi: '3.1.1' });
    expect(await openapi('--out', out, '--check')).toEqual({ status: 0, stderr: '' });
  });

  test('--check exits 1 if the file differs, and does not change it', async () => {
    const out = join(folder, 'openapi.json');
    await writeFile(out, '{}\n');
    const result = await openapi('--out', out, '--check');
    expect(result).toEqual({
      status: 1,
      stderr: `sightline: ${out} is not up to date; run: npm run openapi\n`,
    });
    expect(await readFile(out, 'utf8')).toBe('{}\n');
  });

  test('--check exits 1 if there is no file', async () => {
    const result = await openapi('--out', join(folder, 'none.json'), '--check');
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^sightline: .*none\.json cannot be read: [^\n]*\n$/);
  });

  test('exits 1 with one line if it cannot write', async () => {
    const result = await openapi('--out', folder);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^sightline: .* cannot be written: [^\n]*\n$/);
  });

  test('an unknown option is wrong usage', async () => {
    expect(await openapi('--nonsense')).toMatchObject({ status: 2 });
  });
});
