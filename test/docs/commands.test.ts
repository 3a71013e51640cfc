/** @module-tag long */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import shownHistory from '../openapi/history-examples.json' with { type: 'json' };
import { exampleDocuments } from './examples.ts';
import { historyExamples } from './history-examples.ts';
import { blocksOf, markedBlock, pageText, root } from './pages.ts';
import { answerPages, withAnswers } from './answers.ts';
import { takeTour } from './tour.ts';
import type { Tour } from './tour.ts';

const typescript6 = join(root, 'test/support/typescript-6.ts');

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
  const env = { ...tour.environment, KEY: tour.key, SIGHTLINE_URL: tour.url, SIGHTLINE_API_KEY: tour.key };
  const local = script.replaceAll('http://127.0.0.1:8080', tour.url);
  return await promisify(execFile)('sh', ['-euc', local], { cwd: tour.folder, env });
}

/** The commands of a page, apart from those that other tests run or that this machine may lack. */
function commandsOf(page: string): string[] {
  const blocks = blocksOf(pageText(page)).filter(
    ({ language, mark }) => language === 'sh' && !/^(?:tour$|tour: |machine: )/.test(mark),
  );
  return blocks
    .map(({ text }) => text)
    .filter((text) => !/^(?:npm ci|npx openapi-typescript|curl)\b/.test(text));
}

test.each(answerPages)('%s shows the responses of the gateway that the tour leads to', async (path) => {
  const page = pageText(path);
  expect(await withAnswers(page, tour)).toBe(page);
});

test('the examples of the OpenAPI description are from the same gateway (npm run docs)', async () => {
  expect(await exampleDocuments(tour)).toEqual(examples);
  expect(await historyExamples(tour)).toEqual(shownHistory);
});

describe('commands on pages do their work', () => {
  test('docs/ingest.md: the second delivery changes nothing', async () => {
    const [script, ...others] = commandsOf('docs/ingest.md');
    expect(others).toEqual([]);
    const { stdout } = await run(script!);
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ delivery: null, refusals: [] });
  });

  test('docs/ingest.md: the run that it shows is ingested', async () => {
    const record: unknown = JSON.parse(markedBlock('docs/ingest.md', 'record: runs'));
    await mkdir(join(tour.folder, 'shown'));
    await writeFile(join(tour.folder, 'shown/runs.ndjson'), `${JSON.stringify(record)}\n`);
    const { stdout } = await run('npm run --silent job -- ingest --from shown --lake shown-lake --json');
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ ingested: 1, refused: 0 }] });
  });

  test('no page has commands that no test runs', () => {
    expect(commandsOf('README.md')).toEqual([]);
    expect(commandsOf('docs/api.md')).toEqual([]);
    expect(commandsOf('docs/tour.md')).toEqual([]);
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

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const answer = await fetch(`${tour.url}${request.url}`, { headers: headers as Record<string, string> });
  const etag = answer.headers.get('etag');
  response.writeHead(answer.status, etag === null ? {} : { etag }).end(await answer.text());
}

/** A proxy to the gateway that cuts the first connection. */
async function unreliableProxy(): Promise<string> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (requests === 1) {
      request.socket.destroy();
      return;
    }
    void forward(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const statusesOf = (log: readonly string[]) =>
  log
    .map((line) => (JSON.parse(line) as { status?: number }).status)
    .filter((status) => status === 200 || status === 304);

/** Runs a client twice over an unreliable network, and once with a wrong key. */
async function runTwice(command: string) {
  const script = `export SIGHTLINE_URL='${await unreliableProxy()}/'\nrm -rf sightline-responses sightline-responses.json\n${command}`;
  const before = tour.log.length;
  const lines = printed(await run(`${script}\n${command}`));
  const statuses = () => statusesOf(tour.log.slice(before));
  await until(() => statuses().length >= 8);
  const refused = await run(script.replace('export', 'SIGHTLINE_API_KEY=vis_x\nexport')).catch(
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
  return { lines, statuses: statuses(), refused };
}

describe('clients in docs/api.md', () => {
  const brands = ['Rillbay 42.4 grok', 'Mosspath 56', 'Dunesignal 65'];

  const expected = {
    lines: [...brands, ...brands],
    statuses: [200, 200, 200, 200, 304, 304, 304, 304],
    refused: { code: 1, stderr: expect.stringContaining('invalid_key') as string },
  };

  test('the types for TypeScript are generated as shown', async () => {
    const types = blocksOf(pageText('docs/api.md')).find(({ text }) =>
      text.startsWith('npx openapi-typescript '),
    );
    const generator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
    await run(types!.text.replace('npx openapi-typescript', `node --import ${typescript6} ${generator}`));
    expect(await readFile(join(tour.folder, 'sightline.d.ts'), 'utf8')).toContain('listBrands');
  });

  describeWith(['python3'], 'Python', () => {
    test('prints brands and alerts, and sends If-None-Match', async () => {
      await writeFile(join(tour.folder, 'client.py'), pageText('docs/client.py'));
      expect(await runTwice('python3 client.py')).toEqual(expected);
    });
  });

  describeWith(['curl'], 'curl', () => {
    test('works as shown', async () => {
      expect((await run(blockOf('docs/api.md', 'sh', 'curl'))).stdout).toContain('"name":"Rillbay"');
    });

    test("works in the tour's second terminal, which has no variables of the first", async () => {
      const script = markedBlock('docs/tour.md', 'tour: second terminal');
      const env = { PATH: process.env['PATH'] };
      const local = script.replaceAll('http://127.0.0.1:8080', tour.url);
      const { stdout } = await promisify(execFile)('sh', ['-euc', local], { cwd: tour.folder, env });
      expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"name":"Rillbay"/);
    });
  });
});
