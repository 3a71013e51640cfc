/** @module-tag long */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startListeningGateway } from '../gateway/gateway.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';

interface Request {
  url: string;
  headers: Record<string, string>;
}

test('a plan has the same requests for vegeta, k6 and oha; its owner alone can read it, and it replaces no file', async () => {
  const gateway = await startListeningGateway();
  onTestFinished(() => gateway.close());
  const file = join(await temporaryFolder(), 'plan.json');
  const load = ['--url', gateway.base, '--key', gateway.key, '--rate', '200', '--duration', '1'];
  const writePlan = () => runProgram('test/tools/load/cli.ts', [...load, '--plan', file, '--json'], {});
  const { files } = JSON.parse((await writePlan()).stdout) as { files: string[] };
  expect(files).toEqual([file, `${file}.k6.js`, `${file}.urls`]);
  for (const path of files) expect((await stat(path)).mode & 0o777).toBe(0o600);

  const [vegeta, script, oha] = await Promise.all(files.map((path) => readFile(path, 'utf8')));
  const requests = vegeta!
    .trimEnd()
    .split('\n')
    .map((line): Request => {
      const { url, header } = JSON.parse(line) as { url: string; header: Record<string, string[]> };
      return {
        url,
        headers: Object.fromEntries(Object.entries(header).map(([name, [value]]) => [name, value!])),
      };
    });
  expect(requests).toHaveLength(200);
  const statuses = new Set<number>();
  for (const { url, headers } of requests) statuses.add((await fetch(url, { headers })).status);
  expect(statuses).toEqual(new Set([200, 304]));
  expect(oha!.trimEnd().split('\n')).toEqual(requests.map(({ url }) => url));

  const { sent, options } = runK6Script(script!, vegeta!, 201);
  expect(sent).toEqual([...requests, requests[0]]);
  const atRate = { executor: 'constant-arrival-rate', rate: 200, duration: '1s' };
  expect(options).toMatchObject({ scenarios: { plan: atRate } });

  const again = await writePlan();
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
  expect(await readFile(file, 'utf8')).toBe(vegeta);
});

/** Runs iterations of a k6 script, with stand-ins for the modules of k6, which is in no package of Debian. */
function runK6Script(script: string, plan: string, iterations: number): { sent: Request[]; options: object } {
  const sent: Request[] = [];
  const body = script
    .replaceAll(/^import .*$/gm, '')
    .replace('export const options', 'const options')
    .replace('export default function ()', 'const iterate = () =>');
  // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- the script is what the test is about
  const run = new Function(
    'http',
    'SharedArray',
    'exec',
    'open',
    `${body}; return { options, iterate };`,
  ) as (...modules: unknown[]) => { options: object; iterate: () => void };
  const { options, iterate } = run(
    { get: (url: string, { headers }: Request) => sent.push({ url, headers }) },
    function SharedArray(_name: string, make: () => unknown[]) {
      return make();
    },
    {
      scenario: {
        get iterationInTest() {
          return sent.length;
        },
      },
    },
    () => plan,
  );
  for (let n = 0; n < iterations; n++) iterate();
  return { sent, options };
}
