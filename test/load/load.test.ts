/** @module-tag long */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../gateway/observe/metrics.ts';
import type { GatewayObserver } from '../../gateway/observe/observer.ts';
import { markedBlock, pageText, root } from '../docs/pages.ts';
import { projectFiles } from '../house/files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer } from '../support/http-server.ts';
import type { Ramp } from '../tools/load/ramp.ts';
import type { Report } from '../tools/load/report.ts';
import { otherWorkspaceId, setPlan, startListeningGateway } from '../gateway/gateway.ts';
import type { ListeningGateway } from '../gateway/gateway.ts';
import { runProgram } from '../support/program.ts';
import type { Ended } from '../support/program.ts';

const metrics = createMetrics();
let gateway: ListeningGateway;

function withMetrics(own: GatewayObserver): GatewayObserver {
  const observers = [own, metrics.observer];
  return { ...metrics.observer, answered: (request) => observers.forEach((each) => each.answered(request)) };
}

beforeAll(async () => {
  gateway = await startListeningGateway(undefined, { observe: withMetrics });
});
afterAll(() => gateway.close());

/** Objectives of the load tester that every machine keeps, however busy it is. */
const anyMachine = ['--lag', '600000', '--attained', '0', '--time-limit', '600'];

/** Sends 201 requests in a third of a second. */
async function load(...options: string[]): Promise<Ended> {
  const short = ['--url', gateway.base, '--rate', '603', '--duration', '0.3333', '--json'];
  return await runProgram('test/tools/load/cli.ts', [...short, ...anyMachine, ...options], {});
}

const reportOf = ({ stdout }: Ended) => JSON.parse(stdout) as Report;
const serveMetrics = () =>
  startServer((_request, response) => void metrics.text().then((text) => response.end(text)));

test('a load is sent as requested, its responses are checked, and it passes', async () => {
  await setPlan(gateway.records, otherWorkspaceId, 'agency', 5);
  const [key, limitedKey] = [await gateway.createKey(), await gateway.createKey(otherWorkspaceId)];
  const keys = ['--key', key, '--limited-key', limitedKey, '--limited', '0.3', '--wrong-keys', '0.2'];
  const mix = ['--unknown-brands', '0.2', '--history', '0.3', '--sample', '0.5', '--processes', '2'];
  const ended = await load(...keys, ...mix, '--metrics', await serveMetrics());
  const report = reportOf(ended);
  expect(report.complaints).toEqual([]);
  expect([ended.status, report.passed, report.requests]).toEqual([0, true, 201]);
  expect(report.tester.processes).toBe(2);
  expect(Object.keys(report.statuses).toSorted()).toEqual(['200', '304', '401', '404', '429']);
  const asked = report.byOperation.map(({ operation }) => operation);
  expect(asked).toEqual(expect.arrayContaining(['getVisibility', 'getVisibilityOfSnapshot']));
  expect(report.gateway).toMatchObject({ requests: 201 });
  const { cpuShare, recordsShare } = report.gateway!;
  expect([cpuShare > 0, recordsShare > 0]).toEqual([true, true]);
});

test('status 1 says that an objective was missed', async () => {
  const ended = await load('--key', await gateway.createKey(), '--p99', '0.0001');
  const { passed, objectives } = reportOf(ended);
  expect([ended.status, passed]).toEqual([1, false]);
  expect(objectives.find(({ objective }) => objective.startsWith('p99'))!.held).toBe(false);
});

test('wrong responses fail a load, and metrics of another gateway are not taken for those of the tested one', async () => {
  const url = await startServer((_request, response) =>
    response.setHeader('x-ratelimit-limit', '100000').setHeader('x-ratelimit-reset', '1').end('{"data":[]}'),
  );
  const others = ['--key', 'vis_', '--wrong-keys', '1', '--metrics', await serveMetrics()];
  const ended = await load('--url', url, ...others);
  const report = reportOf(ended);
  expect([ended.status, report.passed, report.wrong]).toEqual([1, false, 201]);
  expect(report.complaints).toEqual([{ complaint: 'status 200, expected 401', times: 201 }]);
  expect([report.gateway, report.gatewayUnknown]).toEqual([
    null,
    'the metrics count 0 requests, and 201 were answered',
  ]);
});

test('an allowance that is too small is reported before the load, which sends nothing', async () => {
  // More than the tests before have used of this minute.
  await setPlan(gateway.records, otherWorkspaceId, 'agency', 200);
  const before = gateway.observed.answered.length;
  const ended = await load('--key', await gateway.createKey(otherWorkspaceId));
  expect(gateway.observed.answered.length).toBe(before + 1); // its brands
  expect([ended.status, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr).toContain('allows 200 a minute, and this load needs 201');
});

test('a ramp ends at the rate that the allowance covers', async () => {
  await setPlan(gateway.records, otherWorkspaceId, 'agency', 1200);
  const ended = await load('--key', await gateway.createKey(otherWorkspaceId), '--ramp', '--rate', '10');
  const reason = 'the workspace allows 1200 a minute';
  expect(JSON.parse(ended.stdout) as Ramp).toMatchObject({ highest: 20, limit: 'allowance', reason });
  expect(ended.status).toBe(0);
});

test('a gateway that does not run is reported in one line', async () => {
  const ended = await load('--url', 'http://127.0.0.1:1', '--key', 'vis_');
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(/^sightline: [^\n]*ECONNREFUSED[^\n]*\n$/);
});

test('it runs from a checkout with the packages of production, as docs/performance.md shows', async () => {
  const folder = await productionCheckout();
  const [install, shown] = markedBlock('docs/performance.md', 'load').trim().split('\n');
  expect(install).toBe('npm ci --omit=dev');
  const command = shown!
    .replace('http://127.0.0.1:8080', gateway.base)
    .replace('vis_…', await gateway.createKey())
    .replace(/--rate \d+ --duration \d+ --p99 \d+/, `--rate 50 --duration 0.2 ${anyMachine.join(' ')}`);
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder };
  const { stdout } = await promisify(execFile)('sh', ['-euc', command], { cwd: folder, env });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('passed');
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
