import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chown, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageText } from '../docs/pages.ts';
import { until } from '../support/until.ts';
import { describeInDebian, endOf, runBeside, startIn, terminate } from './debian.ts';
import { composeServices } from './installed.ts';
import { buildImage, machineOf } from './image.ts';
import type { Image } from './image.ts';
import { remove } from './plain-debians.ts';

const MINUTES = 60_000;
/** The health check of the gateway's container in compose, without the word CMD. */
const healthcheck = composeServices()['gateway']!.healthcheck!.test.slice(1);
const workspace = '786adf6f-be83-4013-a45b-2ecfa7c1bc77';

describeInDebian('infra/Dockerfile, step by step in a plain Debian', () => {
  let folder: string;
  let image: Image;
  let data: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-image-'));
    image = await buildImage(join(folder, 'image'));
    data = await mkdtemp(join(folder, 'data-'));
    await chown(data, ...(image.user.split(':').map(Number) as [number, number]));
  }, 15 * MINUTES);
  afterAll(async () => await remove(folder));

  /**
   * With the strictest options of a runtime: the image's user, a read-only root, no capabilities, no new privileges.
   */
  function start(args: readonly string[], entrypoint = image.entrypoint): ChildProcess {
    const [uid, gid] = image.user.split(':');
    const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const limits = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
    const command = ['setpriv', ...user, ...limits, '--', ...entrypoint, ...args];
    const { options, environment } = machineOf(image);
    const strict = ['--read-only', '--tmpfs=/tmp:mode=1777', `--bind=${data}:/data`];
    return startIn(image.root, command, {
      options: [...options, ...strict],
      environment: { ...environment, NODE_COMPILE_CACHE: '/data/cache' }, // a second less for each job
    });
  }
  const run = async (...args: string[]) => await endOf(start(args));
  const isHealthy = async (container: ChildProcess) =>
    (await runBeside(container, healthcheck, image.environment)).status === 0;

  test('has the programs, their packages and the runtime, no development files, and the size in docs/image.md, ± 20 %', async () => {
    const [release, ...others] = await readdir(join(image.root, 'opt'));
    expect(others).toEqual([]);
    const packages = await readdir(join(image.root, 'opt', release!, 'node_modules'));
    expect(await readdir(join(image.root, 'opt', release!, 'node_modules/.cache'))).toEqual(['sightline']);
    expect(packages).toEqual(expect.arrayContaining(['fastify', `node-linux-${process.arch}`, 'zod']));
    expect(packages.filter((name) => ['vitest', 'typescript', 'npm'].includes(name))).toEqual([]);
    const found = await endOf(start(['-c', 'command -v npm curl gcc'], ['sh']));
    expect(found).toMatchObject({ status: 127, stdout: '' });
    const { stdout } = await promisify(execFile)('du', ['-sm', image.root]);
    const [, said] = /an image of about (\d+) MB/.exec(pageText('docs/image.md')) ?? [];
    expect(Math.abs(parseInt(stdout) - Number(said)) / Number(said)).toBeLessThan(0.2);
  });

  test('belongs to root: its user can write only data, with which a new volume begins, and temporary files', async () => {
    const command = 'find /etc /usr /bin /opt /srv /var /data -writable ! -type l'.split(' ');
    const found = await endOf(start([...command, '-printf', '%p\\n'], []));
    const writable = found.stdout.trim().split('\n');
    expect(writable.filter((path) => !/^\/var\/(?:lock|tmp)$/.test(path))).toEqual(['/data']);
    for (const name of ['metrics', 'scratch', 'verify']) {
      const { uid, gid, mode } = await stat(join(image.root, 'data', name));
      const owner = `${uid}:${gid}`;
      expect({ name, owner, mode: mode & 0o777 }).toEqual({ name, owner: image.user, mode: 0o750 });
    }
  });

  test('runs every command, from a drop to a response, and stops on SIGTERM with status 0', async () => {
    const demo = ['--workspaces', '1', '--brands', '1', '--prompts', '2', '--cycles', '3'];
    const steps = [
      ['job', 'demo', '--to', '/data/drop', ...demo],
      ['job', 'ingest', '--from', '/data/drop'],
      ['job', 'weekly'],
      ['records', 'workspace', 'set', workspace, '--name', 'Halden & Moor', '--plan', 'agency'],
      ['audit', 'verify'],
    ];
    for (const step of steps) {
      const ended = await run(...step);
      expect({ step, ...ended }).toMatchObject({
        step,
        status: 0,
        stderr: expect.not.stringMatching(/sightline: (?!made the signing key)/) as string,
      });
    }
    const key = (await run('records', 'key', 'create', workspace)).stdout.trim();
    const gateway = start(image.cmd);
    const ended = endOf(gateway);
    await until(async () => (await isHealthy(gateway)) || gateway.exitCode !== null, 'it is healthy', {
      everyMs: 250,
    });
    const script =
      'const r = await fetch(process.argv[1], { headers: { "x-api-key": process.argv[2] } }); console.log(r.status, await r.text())';
    const url = `http://127.0.0.1:${image.ports[0]}/api/v1/brands`;
    const answer = await runBeside(gateway, ['node', '--eval', script, url, key], image.environment);
    expect(answer.stdout).toMatch(/^200 \{"data":\[\{"id":/);
    terminate(gateway);
    expect(await ended).toMatchObject({ status: 0 });
    expect((await ended).stdout).toContain('"msg":"stopped"');
  });
});
