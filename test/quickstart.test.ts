/**
 * @module-tag long
 * @module-tag black-box
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { schemaOfBody } from './adapters/read-over-http.ts';
import { markedBlock } from './docs/pages.ts';
import { programEnvironment } from './support/environment.ts';
import { temporaryFolders } from './support/folder.ts';

interface Start {
  child: ChildProcess;
  /** Everything printed so far. */
  said: { stdout: string; stderr: string };
  /** Exit status. */
  ended: Promise<number | null>;
}

const parts = ['package.json', 'node_modules', 'gateway', 'jobs', 'lib', 'snapshots'];
const newFolder = temporaryFolders();
let folder: string;

/** This project with a separate folder for `.data`. */
beforeAll(async () => {
  folder = await newFolder();
  for (const part of parts) await symlink(resolve(part), join(folder, part));
});

/** `npm start` in its own process group, so that no process outlives the test. */
function start(settings: Record<string, string> = {}): Start {
  const { PATH } = process.env;
  const usual = { HOME: folder, PORT: '0', METRICS_PORT: '0', DRAIN_SECONDS: '0' };
  const env = { PATH, ...usual, ...settings };
  const child = spawn('npm', ['start'], { cwd: folder, env, detached: true });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (said.stderr += String(chunk)));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
    await ended;
  });
  return { child, said, ended };
}

/** The output once it serves. */
async function untilServing({ child, said, ended }: Start): Promise<string> {
  return await new Promise((done, fail) => {
    child.stdout!.on('data', () => said.stdout.includes('Ctrl-C') && done(said.stdout));
    void ended.then((status) => fail(new Error(`status ${status}: ${said.stderr}`)));
  });
}

/** The output of a shell's line in the folder, with `npm run` as people type it. */
async function run(line: string): Promise<string> {
  const env = { ...programEnvironment(), HOME: folder };
  return (await promisify(execFile)('sh', ['-euc', line], { cwd: folder, env })).stdout;
}

function curlLines(stdout: string): { key: string; url: string }[] {
  const lines = stdout.matchAll(/curl -H 'Authorization: Bearer (vis_[0-9a-f]{48})' (http:\S+)/g);
  return [...lines].map(([, key, url]) => ({ key: key!, url: url! }));
}

const modeOf = async (path: string) => (await stat(join(folder, '.data', path))).mode & 0o777;

describe('npm start', () => {
  let firstKey: string;

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
    firstKey = lines[0]!.key;
    expect((await fetch(lines[0]!.url)).status).toBe(401);
    expect((await fetch(/http:\S+\/docs/.exec(stdout)![0])).status).toBe(200);
    const audits = [...stdout.matchAll(/^ {2}(npm run audit .*)$/gm)].map(([, line]) => line!);
    expect(audits).toEqual(markedBlock('docs/tour.md', 'tour: audits').trim().split('\n'));
    const [list, diff, verify] = await Promise.all(audits.map(run));
    expect(list!.match(/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}/g)).toHaveLength(5);
    expect(diff).toMatch(/^models changed .* score .*$/m);
    expect(diff).toMatch(/\d+ within noise, .*\n--all lists every changed value\.\n$/);
    expect(verify).toMatch(/^ +10 +1 +5 +\d+ +\d+ .*\nlog sightline\.local\/log: .*\n\nIntact\.$/m);
    first.child.kill('SIGTERM'); // npm forwards it
    expect(await first.ended).toBe(0);
    expect(first.said.stdout).not.toContain('{'); // no log lines between what people read
    expect(first.said.stderr).not.toContain('sightline');
    for (const file of ['demo-key', 'keys/sightline.private.pem', 'records.db', 'drop/brands.ndjson'])
      expect([file, await modeOf(file)]).toEqual([file, 0o600]);
    for (const made of ['.', 'lake', 'store']) expect([made, await modeOf(made)]).toEqual([made, 0o700]);
  });

  test('re-uses data and workspace, makes another key only if that was revoked, and says that a port is taken', async () => {
    await run(`npm run records -- key revoke ${firstKey.slice(0, 12)}`);
    const listed = await run('npm run --silent records -- workspace list --json');
    const [{ id }] = JSON.parse(listed) as [{ id: string }];
    await run(`npm run records -- workspace set ${id} --name Ours --plan enterprise`);
    const stdout = await untilServing(start());
    expect(stdout).not.toMatch(/making|publishing/);
    const [{ key, url }] = curlLines(stdout) as [{ key: string; url: string }];
    const statusOf = async (each: string) => (await fetch(url, { headers: { 'x-api-key': each } })).status;
    expect([await statusOf(firstKey), await statusOf(key)]).toEqual([401, 200]);
    expect(await run('npm run --silent records -- workspace list')).toMatch(/ Ours +enterprise /);

    const { port } = new URL(url);
    const third = start({ PORT: port });
    expect(await third.ended).toBe(1);
    const lines = third.said.stderr.split('\n').filter((each) => each !== '' && !each.startsWith('npm '));
    expect(lines).toEqual([`sightline: HOST 127.0.0.1, PORT ${port}: another program listens there`]);
    const keys = await run(`npm run --silent records -- key list ${id} --json`);
    expect(JSON.parse(keys)).toHaveLength(2);
  });

  test('names an invalid setting before it creates anything', async () => {
    const wrong = start({ PORT: 'http' });
    expect(await wrong.ended).toBe(2);
    expect(wrong.said.stderr).toContain('sightline: setting does not parse: PORT: ');
    expect(wrong.said.stdout).not.toContain('making');
  });
});
