/** @module-tag long */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../gateway/observe/metrics.ts';
import type { GatewayObserver } from '../../gateway/observe/observer.ts';
import { markedBlock, root } from '../docs/pages.ts';
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
  const isPast = report.byOperation.map(({ operation }) => operation.endsWith('OfSnapshot'));
  expect(new Set(isPast)).toEqual(new Set([true, false]));
  const positive = expect.toSatisfy((share: number) => share > 0) as number;
  expect(report.gateway).toMatchObject({ requests: 201, cpuShare: positive, recordsShare: positive });
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
  expect(report.gateway).toBe('the metrics count 0 requests, and 201 were answered');
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

test('the command of docs/performance.md runs', async () => {
  const [, shown] = markedBlock('docs/performance.md', 'load').trim().split('\n');
  const command = shown!
    .replace('http://127.0.0.1:8080', gateway.base)
    .replace('vis_…', gateway.key)
    .replace(/--rate \d+ --duration \d+ --p99 \d+/, `--rate 50 --duration 0.2 ${anyMachine.join(' ')}`);
  const { stdout } = await promisify(execFile)('sh', ['-euc', command], { cwd: root });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('passed');
});

test('a plan has the requests as vegeta reads them; its owner alone can read it, and it replaces no file', async () => {
  const file = join(await temporaryFolder(), 'plan.json');
  const writePlan = () => load('--key', gateway.key, '--plan', file);
  expect(await writePlan()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const plan = await readFile(file, 'utf8');
  const lines = plan.trimEnd().split('\n');
  expect(lines).toHaveLength(201);
  const statuses = new Set<number>();
  for (const line of lines) {
    const { url, header } = JSON.parse(line) as { url: string; header: Record<string, [string]> };
    const headers = Object.entries(header).map(([name, [value]]): [string, string] => [name, value]);
    statuses.add((await fetch(url, { headers })).status);
  }
  expect(statuses).toEqual(new Set([200, 304]));

  const again = await writePlan();
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
  expect(await readFile(file, 'utf8')).toBe(plan);
});
