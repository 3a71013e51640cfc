/**
 * @module-tag long
 * @module-tag black-box
 */
import { execFile, spawn } from 'node:child_process';
import { stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { schemaOfBody } from './adapters/read-over-http.ts';
import { markedBlock } from './docs/pages.ts';
import { programEnvironment } from './support/environment.ts';
import { temporaryFolder } from './support/folder.ts';
import { until } from './support/until.ts';

const parts = ['package.json', 'node_modules', 'gateway', 'jobs', 'lib', 'snapshots'];

test('npm start makes demo data, serves it, prints curl lines that work, and ends with status 0 on SIGTERM', async () => {
  const folder = await temporaryFolder();
  for (const part of parts) await symlink(resolve(part), join(folder, part));
  const env = { ...programEnvironment(), HOME: folder };
  const settings = { PATH: process.env['PATH'], PORT: '0', METRICS_PORT: '0', DRAIN_SECONDS: '0' };
  // In its own process group, so that no process outlives the test.
  const child = spawn('npm', ['start'], { cwd: folder, env: { ...env, ...settings }, detached: true });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
    await ended;
  });
  await until(() => stdout.includes('Ctrl-C') || child.exitCode !== null);

  expect(stdout).toMatch(/making demo data … [\d.]+ s\ningesting it … [\d.]+ s\npublishing five weeks … /);
  const curls = [...stdout.matchAll(/curl -H 'Authorization: Bearer (vis_[0-9a-f]{48})' (http:\S+)/g)];
  expect(curls).toHaveLength(2);
  for (const [, key, url] of curls) {
    const response = await fetch(url!, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    schemaOfBody(new URL(url!).pathname).parse(await response.json());
  }
  const audits = [...stdout.matchAll(/^ {2}(npm run audit .*)$/gm)].map(([, line]) => line!);
  expect(audits).toEqual(markedBlock('docs/tour.md', 'tour: audits').trim().split('\n'));
  const run = async (line: string) =>
    (await promisify(execFile)('sh', ['-euc', line], { cwd: folder, env })).stdout;
  const [list, diff, verify] = await Promise.all(audits.map(run));
  expect(list!.match(/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}/g)).toHaveLength(5);
  expect(diff).toMatch(/^models changed .* score .*$/m);
  expect(diff).toMatch(/\d+ within noise, .*\n--all lists every changed value\.\n$/);
  expect(verify).toMatch(/^ +10 +1 +5 +\d+ +\d+ .*\nlog sightline\.local\/log: .*\n\nIntact\.$/m);
  child.kill('SIGTERM'); // npm forwards it
  expect(await ended).toBe(0);
  expect(stdout).not.toContain('{'); // no log lines between what people read
  expect(stderr).not.toContain('sightline');
  const modeOf = async (path: string) => (await stat(join(folder, '.data', path))).mode & 0o777;
  for (const file of ['demo-key', 'keys/sightline.private.pem', 'records.db', 'drop/brands.ndjson'])
    expect([file, await modeOf(file)]).toEqual([file, 0o600]);
  for (const made of ['.', 'lake', 'store']) expect([made, await modeOf(made)]).toEqual([made, 0o700]);
});
