/**
 * @module-tag long
 * @module-tag black-box
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { schemaOfBody } from './adapters/read-over-http.ts';
import { markedBlock } from './docs/pages.ts';
import { programEnvironment } from './support/environment.ts';

interface Start {
  child: ChildProcess;
  /** Everything printed so far. */
  said: { stdout: string; stderr: string };
  /** Exit status. */
  ended: Promise<number | null>;
}

const parts = ['package.json', 'node_modules', 'gateway', 'jobs', 'lib', 'snapshots'];
let folder: string;
const started: Start[] = [];

/** This project with a separate folder for `.data`. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-quickstart-'));
  for (const part of parts) await symlink(resolve(part), join(folder, part));
});
afterEach(async () => {
  for (const { child } of started) if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
  await Promise.all(started.splice(0).map(({ ended }) => ended));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** `npm start` in its own process group, so that no process outlives the test. */
function start(settings: Record<string, string> = {}): Start {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    PORT: '0',
    METRICS_PORT: '0',
    DRAIN_SECONDS: '0',
    ...settings,
  };
  const child = spawn('npm', ['start'], { cwd: folder, env, detached: true });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (said.stderr += String(chunk)));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const begun = { child, said, ended };
  started.push(begun);
  return begun;
}

/** The output of `npm run records -- …`. */
async function records(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'records', '--', ...words], {
    cwd: folder,
  });
  return stdout;
}

/** The output once it serves. */
async function untilServing({ child, said, ended }: Start): Promise<string> {
  return await new Promise((done, fail) => {
    child.stdout!.on('data', () => said.stdout.includes('Ctrl-C') && done(said.stdout));
    void ended.then((status) => fail(new Error(`status ${status}: ${said.stderr}`)));
  });
}

const curlLine = /curl -H 'Authorization: Bearer (vis_[0-9a-f]{48})' (http:\S+)/g;

/** The commands that it prints for an auditor. */
function auditLines(stdout: string): string[] {
  return stdout.split('\n').flatMap((line) => /^ {2}(npm run audit .*)$/.exec(line)?.[1] ?? []);
}

/** The output of these commands, run as printed. */
async function runLines(lines: readonly string[]): Promise<string[]> {
  const env = { ...programEnvironment(), HOME: folder };
  const printed: string[] = [];
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('sh', ['-euc', line], { cwd: folder, env });
    printed.push(stdout);
  }
  return printed;
}

function curlLines(stdout: string): { key: string; url: string }[] {
  return [...stdout.matchAll(curlLine)].map(([, key, url]) => ({ key: key!, url: url! }));
}

const modeOf = async (path: string) => (await stat(join(folder, '.data', path))).mode & 0o777;

describe('npm start', () => {
  test('makes demo data, serves it, prints curl lines that work, and ends with status 0 on SIGTERM', async () => {
    const first = start();
    const stdout = await untilServing(first);
    expect(stdout).toMatch(/making demo data … [\d.]+ s\ningesting it … [\d.]+ s\npublishing five weeks … /);
    const lines = curlLines(stdout);
    expect(lines).toHaveLength(2);
    for (const { key, url } of lines) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      expect(response.status).toBe(200);
      schemaOfBody(new URL(url).pathname).parse(await response.json());
    }
    expect((await fetch(lines[0]!.url)).status).toBe(401);
    expect((await fetch(/http:\S+\/docs/.exec(stdout)![0])).status).toBe(200);
    const audits = auditLines(stdout);
    expect(audits).toEqual(markedBlock('docs/tour.md', 'tour: audits').trim().split('\n'));
    const [list, diff, verify] = await runLines(audits);
    expect(list!.match(/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}/g)).toHaveLength(5);
    expect(diff).toMatch(/^models changed .* score .*$/m);
    expect(diff).toMatch(/\d+ within noise, .*\n--all lists every changed value\.\n$/);
    expect(verify).toMatch(/^ +10 +1 +5 +\d+ +\d+ .*\nlog sightline\.local\/log: .*\n\nIntact\.$/m);
    first.child.kill('SIGTERM'); // npm forwards it
    expect(await first.ended).toBe(0);
    expect(first.said.stdout).not.toContain('{'); // no log lines between what people read
    expect(first.said.stderr).not.toContain('sightline');
    for (const file of ['demo-key', 'keys/sightline.private.pem', 'records.db', 'drop/brands.ndjson']) {
      expect([file, await modeOf(file)]).toEqual([file, 0o600]);
    }
    for (const made of ['.', 'lake', 'store']) expect([made, await modeOf(made)]).toEqual([made, 0o700]);
  });

  test('re-uses data, key and workspace, creates another key if that was revoked, and says that a port is taken', async () => {
    const again = start();
    const stdout = await untilServing(again);
    expect(stdout).not.toMatch(/making|publishing/);
    const [list] = await runLines(auditLines(stdout));
    expect(list!.match(/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}/g)).toHaveLength(5);
    const [line] = curlLines(stdout);
    const prefix = line!.key.slice(0, 12);
    await records('key', 'revoke', prefix);
    const [workspace] = JSON.parse(await records('workspace', 'list', '--json')) as { id: string }[];
    await records('workspace', 'set', workspace!.id, '--name', 'Ours', '--plan', 'enterprise');
    expect((await fetch(line!.url, { headers: { 'x-api-key': line!.key } })).status).toBe(401);
    const third = start();
    const [anew] = curlLines(await untilServing(third));
    expect(anew!.key).not.toBe(line!.key);
    const response = await fetch(anew!.url, { headers: { 'x-api-key': anew!.key } });
    expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '600']);
    expect(await records('workspace', 'list')).toMatch(/ Ours +enterprise /);

    const { port } = new URL(anew!.url);
    const fourth = start({ PORT: port });
    expect(await fourth.ended).toBe(1);
    const lines = fourth.said.stderr.split('\n').filter((each) => each !== '' && !each.startsWith('npm '));
    expect(lines).toEqual([`sightline: HOST 127.0.0.1, PORT ${port}: another program listens there`]);
  });

  test('names an invalid setting before it creates anything', async () => {
    const wrong = start({ PORT: 'http' });
    expect(await wrong.ended).toBe(2);
    expect(wrong.said.stderr).toContain('sightline: setting does not parse: PORT: ');
    expect(wrong.said.stdout).not.toContain('making');
  });
});
