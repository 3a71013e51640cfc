/** @module-tag long */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { markedBlock, pageText, root } from '../docs/pages.ts';
import { projectFiles } from '../house/files.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Ramp } from '../tools/load/ramp.ts';
import type { Report } from '../tools/load/report.ts';
import { otherWorkspaceId, setPlan, startListeningGateway } from '../gateway/gateway.ts';
import type { ListeningGateway } from '../gateway/gateway.ts';
import { runProgram } from '../support/program.ts';
import type { Ended } from '../support/program.ts';

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  gateway = await startListeningGateway();
  ({ base } = gateway);
});
afterAll(() => gateway.close());

/** Objectives of the load tester that every machine keeps, however busy it is. */
const anyMachine = ['--lag', '600000', '--attained', '0', '--time-limit', '600'];

async function runLoad(...options: string[]): Promise<Ended> {
  const short = ['--url', base, '--rate', '200', '--duration', '1', '--sample', '0.5', '--json'];
  return await runProgram('test/tools/load/cli.ts', [...short, ...anyMachine, ...options], {});
}

async function load(...options: string[]): Promise<{ status: number | null; report: Report }> {
  const { status, stdout } = await runLoad(...options);
  return { status, report: JSON.parse(stdout) as Report };
}

/** The address of a server that is no gateway. */
async function serve(respond: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('x-ratelimit-limit', '100000').setHeader('x-ratelimit-reset', '1');
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the load tester', () => {
  test('sends the requested load, checks the responses, and passes', async () => {
    await setPlan(gateway.records, otherWorkspaceId, 'agency', 5);
    const { status, report } = await load(
      '--key',
      await gateway.createKey(),
      '--limited-key',
      await gateway.createKey(otherWorkspaceId),
      '--limited',
      '0.3',
      '--wrong-keys',
      '0.2',
      '--unknown-brands',
      '0.2',
      '--history',
      '0.3',
      '--processes',
      '2',
    );
    expect(report.complaints).toEqual([]);
    expect([status, report.passed, report.requests]).toEqual([0, true, 200]);
    expect(report.tester.processes).toBe(2);
    expect(Object.keys(report.statuses).toSorted()).toEqual(['200', '304', '401', '404', '429']);
    const asked = report.byOperation.map(({ operation }) => operation);
    expect(asked).toEqual(expect.arrayContaining(['getVisibility', 'getVisibilityOfSnapshot']));
  });

  test('exits with status 1 if an objective is missed', async () => {
    const { status, report } = await load('--key', await gateway.createKey(), '--p99', '0.0001');
    expect([status, report.passed]).toEqual([1, false]);
    expect(report.objectives.find(({ objective }) => objective.startsWith('p99'))!.held).toBe(false);
  });

  test('fails if responses are wrong', async () => {
    const url = await serve((_request, response) => response.end('{"data":[]}'));
    const { status, report } = await load('--url', url, '--key', 'vis_', '--wrong-keys', '1');
    expect([status, report.passed, report.wrong]).toEqual([1, false, 200]);
    expect(report.complaints).toEqual([{ complaint: 'status 200, expected 401', times: 200 }]);
  });

  test('says before the test that an allowance is too small, and sends nothing', async () => {
    await setPlan(gateway.records, otherWorkspaceId, 'agency', 60);
    const key = await gateway.createKey(otherWorkspaceId);
    const before = gateway.observed.answered.length;
    const ended = await runLoad('--key', key);
    expect([ended.status, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain('allows 60 a minute, and this load needs 200');
    expect(gateway.observed.answered.length).toBe(before + 1);
  });

  test('ramps to the rate that the allowance covers', async () => {
    await setPlan(gateway.records, otherWorkspaceId, 'agency', 1200);
    const key = await gateway.createKey(otherWorkspaceId);
    const ended = await runLoad('--key', key, '--ramp', '--rate', '10');
    const ramp = JSON.parse(ended.stdout) as Ramp;
    expect(ramp).toMatchObject({ highest: 20, limit: 'allowance' });
    expect(ramp.reason).toBe('the workspace allows 1200 a minute');
    expect(ended.status).toBe(0);
  });

  test('reports a gateway that does not run, in one line', async () => {
    const ended = await runProgram(
      'test/tools/load/cli.ts',
      ['--url', 'http://127.0.0.1:1', '--key', 'vis_'],
      {},
    );
    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain('ECONNREFUSED');
  });

  test('runs from a checkout with the packages of production, as docs/performance.md shows', async () => {
    const folder = await productionCheckout();
    const [install, shown] = markedBlock('docs/performance.md', 'load').trim().split('\n');
    expect(install).toBe('npm ci --omit=dev');
    const key = await gateway.createKey();
    const command = shown!
      .replace('http://127.0.0.1:8080', base)
      .replace('vis_…', key)
      .replace(/--rate \d+ --duration \d+ --p99 \d+/, `--rate 50 --duration 1 ${anyMachine.join(' ')}`);
    const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder };
    const { stdout } = await promisify(execFile)('sh', ['-euc', command], { cwd: folder, env });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('passed');
  });
});

/** A checkout after `npm ci --omit=dev`, without the packages that the lock file marks as `dev`. */
async function productionCheckout(): Promise<string> {
  const folder = await temporaryFolder();
  const needed = /^(?:package\.json|lib\/|test\/tools\/load\/)/;
  for (const path of projectFiles().filter((file) => needed.test(file)))
    await cp(join(root, path), join(folder, path));
  const { packages } = JSON.parse(pageText('package-lock.json')) as {
    packages: Record<string, { dev?: true }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    const isTopLevel = /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path);
    if (!isTopLevel || dev || !existsSync(join(root, path))) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(join(root, path), join(folder, path));
  }
  return folder;
}
