/** @module-tag long */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startListeningGateway } from '../gateway/gateway.ts';
import type { ListeningGateway } from '../gateway/gateway.ts';
import { temporaryFolder, temporaryFolders } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';
import type { Ended } from '../support/program.ts';

const newFolder = temporaryFolders();

async function writePlan({ base, key }: ListeningGateway, file: string): Promise<Ended> {
  const options = ['--url', base, '--key', key, '--rate', '200', '--duration', '1', '--plan', file, '--json'];
  return await runProgram('test/tools/load/cli.ts', options, {});
}

describe('a plan for other load testers', () => {
  let gateway: ListeningGateway;
  let file: string;
  let lines: string[];
  let written: { files: string[] };
  beforeAll(async () => {
    gateway = await startListeningGateway();
    file = join(await newFolder(), 'plan.json');
    const ended = await writePlan(gateway, file);
    written = JSON.parse(ended.stdout) as typeof written;
    lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  });
  afterAll(async () => await gateway.close());

  test('is three files', () => {
    expect(written).toEqual({ files: [file, `${file}.k6.js`, `${file}.urls`] });
  });

  test('has a target of vegeta for each request, which the gateway serves', async () => {
    expect(lines).toHaveLength(200);
    const statuses = new Set<number>();
    for (const line of lines) {
      const { method, url, header } = JSON.parse(line) as Record<'method' | 'url', string> & {
        header: Record<string, string[]>;
      };
      const headers = Object.entries(header).flatMap(([name, values]) =>
        values.map((value) => [name, value] as [string, string]),
      );
      statuses.add((await fetch(url, { method, headers })).status);
    }
    expect(statuses).toEqual(new Set([200, 304]));
  });

  test('has the same addresses for oha', async () => {
    const urls = lines.map((line) => (JSON.parse(line) as { url: string }).url);
    expect((await readFile(`${file}.urls`, 'utf8')).trimEnd().split('\n')).toEqual(urls);
  });

  test('has a script for k6 that sends the requests in turn, at the rate', async () => {
    const { sent, options } = await runK6Script(`${file}.k6.js`, 201);
    const expected = [...lines, lines[0]!].map((line) => {
      const { url, header } = JSON.parse(line) as { url: string; header: Record<string, string[]> };
      return {
        url,
        headers: Object.fromEntries(Object.entries(header).map(([name, [value]]) => [name, value])),
      };
    });
    expect(sent).toEqual(expected);
    expect(options.scenarios.plan).toMatchObject({
      executor: 'constant-arrival-rate',
      rate: 200,
      duration: '1s',
    });
  });

  test('can be read by its owner only, and replaces no file', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const ended = await writePlan(gateway, file);
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
    expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toEqual(lines);
  });
});

interface SentByK6 {
  sent: { url: string; headers: Record<string, string> }[];
  options: { scenarios: { plan: Record<string, unknown> } };
}

/** Runs iterations of a k6 script, with stand-ins for the modules of k6, which is in no package of Debian. */
async function runK6Script(script: string, iterations: number): Promise<SentByK6> {
  const folder = await temporaryFolder();
  const modules = {
    'k6/http': 'export default { get: (url, { headers }) => sent.push({ url, headers }) };',
    'k6/data': 'export class SharedArray { constructor(name, make) { return make(); } }',
    'k6/execution': 'export default { scenario: { get iterationInTest() { return sent.length; } } };',
  };
  let text = await readFile(script, 'utf8');
  for (const [name, source] of Object.entries(modules)) {
    const path = join(folder, `${name.replace('/', '-')}.mjs`);
    await writeFile(path, source);
    text = text.replace(`'${name}'`, `'${pathToFileURL(path).href}'`);
  }
  const main = join(folder, 'main.mjs');
  await writeFile(join(folder, 'script.mjs'), text);
  await writeFile(
    main,
    `import { readFileSync } from 'node:fs';
    globalThis.sent = [];
    globalThis.open = (path) => readFileSync(new URL(path, ${JSON.stringify(pathToFileURL(script).href)}), 'utf8');
    const { default: iterate, options } = await import('./script.mjs');
    for (let n = 0; n < ${iterations}; n++) iterate();
    console.log(JSON.stringify({ sent, options }));`,
  );
  return JSON.parse((await runProgram(main, [], {})).stdout) as SentByK6;
}
