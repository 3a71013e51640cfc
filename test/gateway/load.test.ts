/** @module-tag long */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedBlock, pageText, root } from '../docs/pages.ts';
import { projectFiles } from '../house/files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { percentile } from '../tools/load/report.ts';
import type { Report } from '../tools/load/report.ts';
import { otherWorkspaceId, setPlan, startListeningGateway } from './gateway.ts';
import type { ListeningGateway } from './gateway.ts';
import { runProgram } from '../support/program.ts';

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  gateway = await startListeningGateway();
  ({ base } = gateway);
});
afterAll(() => gateway.close());

async function load(...options: string[]): Promise<{ status: number | null; report: Report }> {
  const short = ['--url', base, '--rate', '200', '--duration', '1', '--sample', '0.5', '--json'];
  const ended = await runProgram('test/tools/load/cli.ts', [...short, ...options], {});
  return { status: ended.status, report: JSON.parse(ended.stdout) as Report };
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
    );
    expect(report.complaints).toEqual([]);
    expect([status, report.passed, report.requests]).toEqual([0, true, 200]);
    expect(Object.keys(report.statuses).toSorted()).toEqual(['200', '304', '401', '404', '429']);
    expect(report.byOperation).toHaveLength(7);
  });

  test('can include reads of the history', async () => {
    const { status, report } = await load('--key', await gateway.createKey(), '--history', '0.5');
    expect(report.complaints).toEqual([]);
    expect([status, report.passed]).toEqual([0, true]);
    expect(report.byOperation.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining([
        'listSnapshots',
        'getSnapshotProof',
        'getVisibilityOfSnapshot',
        'getVisibility',
      ]),
    );
  });

  test('exits with status 1 if an objective is missed', async () => {
    const { status, report } = await load('--key', await gateway.createKey(), '--p99', '0.0001');
    expect([status, report.passed]).toEqual([1, false]);
    expect(report.objectives.find(({ objective }) => objective.startsWith('p99'))!.held).toBe(false);
  });

  test('fails if responses are wrong', async () => {
    const careless = createServer((_request, response) => {
      response.setHeader('x-ratelimit-limit', '1').setHeader('x-ratelimit-reset', '1').end('{"data":[]}');
    });
    await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve));
    const { port } = careless.address() as { port: number };
    const options = ['--url', `http://127.0.0.1:${port}`, '--key', 'vis_', '--wrong-keys', '1'];
    const { status, report } = await load(...options);
    careless.close();
    expect([status, report.passed, report.wrong]).toEqual([1, false, 200]);
    expect(report.complaints).toEqual([{ complaint: 'status 200, expected 401', times: 200 }]);
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

  test('runs from a checkout with the packages of production, as docs/procedures.md shows', async () => {
    const folder = await productionCheckout();
    const [install, shown] = markedBlock('docs/procedures.md', 'load').trim().split('\n');
    expect(install).toBe('npm ci --omit=dev');
    const key = await gateway.createKey();
    const command = shown!
      .replace('http://127.0.0.1:8080', base)
      .replace('vis_…', key)
      .replace(/--rate \d+ --duration \d+ --p99 \d+/, '--rate 50 --duration 1');
    const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder };
    const { stdout } = await promisify(execFile)('sh', ['-euc', command], { cwd: folder, env });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('passed');
  });

  test('counts percentiles as the smallest value that the share does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
    expect([0.5, 0.99, 0.999, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100, 100]);
    expect(percentile([], 0.5)).toBe(0);
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
