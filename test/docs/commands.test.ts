import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../support/requires.ts';
import { blocksOf, markedBlock, pageText } from './pages.ts';
import { withAnswers } from './readme.ts';
import { takeTour } from './tour.ts';
import type { Tour } from './tour.ts';

let tour: Tour;
beforeAll(async () => {
  tour = await takeTour();
});
afterAll(async () => await tour.stop());

interface Ran {
  stdout: string;
  stderr: string;
}

/** Runs a script where the tour was taken, with its gateway's address and key. */
async function run(script: string): Promise<Ran> {
  const env = { ...tour.environment, KEY: tour.key, SIGHTLINE_URL: tour.url, SIGHTLINE_KEY: tour.key };
  const local = script.replaceAll('http://127.0.0.1:8080', tour.url);
  return await promisify(execFile)('sh', ['-euc', local], { cwd: tour.folder, env });
}

/** The commands of a page, apart from those that other tests run or that this machine may lack. */
function commandsOf(page: string): string[] {
  const blocks = blocksOf(pageText(page)).filter(
    ({ language, mark }) => language === 'sh' && !/^(?:tour$|machine: )/.test(mark),
  );
  return blocks.map(({ text }) => text).filter((text) => !/^(?:npm ci|curl)\b/.test(text));
}

test("the README's six commands lead to a gateway with the answers that it shows", async () => {
  const readme = pageText('README.md');
  expect(await withAnswers(readme, tour)).toBe(readme);
});

describe('commands on pages do their work', () => {
  test('docs/ingest.md: the second delivery changes nothing', async () => {
    const [script, ...others] = commandsOf('docs/ingest.md');
    expect(others).toEqual([]);
    const { stdout } = await run(script!);
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ delivery: null, refusals: [] });
  });

  test('docs/ingest.md: the run that it shows is taken in', async () => {
    const record: unknown = JSON.parse(markedBlock('docs/ingest.md', 'record: runs'));
    await mkdir(join(tour.folder, 'shown'));
    await writeFile(join(tour.folder, 'shown/runs.ndjson'), `${JSON.stringify(record)}\n`);
    const { stdout } = await run('npm run --silent job -- ingest --from shown --lake shown-lake --json');
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ taken: 1, refused: 0 }] });
  });

  test('docs/operations.md: workspaces and keys', async () => {
    const { stdout } = await run(commandsOf('docs/operations.md')[0]!);
    expect(stdout).toMatch(/^vis_[0-9a-f]{48}$/m);
    expect(stdout).toContain('monday report');
  });

  test('docs/operations.md: the records are backed up and restored', async () => {
    const [, script, ...others] = commandsOf('docs/operations.md');
    expect(others).toEqual([]);
    const { stderr } = await run(script!);
    expect(stderr).toContain('what was there before is in .data/records.db.before-');
    const settings = 'RECORDS_URL=sqlite:.data/records-backup.db';
    const { stdout } = await run(`${settings} npm run --silent records -- workspace list`);
    expect(stdout).toContain('6dc5cc01-e5c0-4398-a442-a3d03067609d');
  });

  test('no page has commands that no test runs', () => {
    expect(commandsOf('README.md')).toEqual([]);
    expect(commandsOf('docs/api.md')).toEqual([]);
  });
});

function printed({ stdout }: Ran): string[] {
  return stdout.trim().split(/ *\n/);
}

/** The first block of a page that is in this language and begins so. */
function blockOf(page: string, language: string, beginning = ''): string {
  const found = blocksOf(pageText(page)).find(
    (block) => block.language === language && block.text.startsWith(beginning),
  );
  return found!.text;
}

describe('clients in docs/api.md print the brands and what is worth an alert', () => {
  const lines = ['Fjordfield 42 gemini', 'Quordesk 55.5', 'Opalpoint 49.3'];
  test('TypeScript', async () => {
    await writeFile(join(tour.folder, 'client.ts'), blockOf('docs/api.md', 'ts'));
    expect(printed(await run('node client.ts'))).toEqual(lines);
  });

  describeWith(['python3'], 'Python', () => {
    test('Python', async () => {
      await writeFile(join(tour.folder, 'client.py'), blockOf('docs/api.md', 'python'));
      expect(printed(await run('python3 client.py'))).toEqual(lines);
    });
  });

  describeWith(['curl'], 'curl', () => {
    test('curl, here and in the README', async () => {
      expect((await run(blockOf('docs/api.md', 'sh', 'curl'))).stdout).toContain('"name":"Fjordfield"');
      expect((await run(blockOf('README.md', 'sh', 'curl'))).stdout).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[^]*"name":"Fjordfield"/,
      );
    });
  });
});
