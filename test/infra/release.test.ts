import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { packedIn, sharedRelease } from './release.ts';

const run = promisify(execFile);

/** As in a list that is sorted folder by folder. */
const inOrder = (path: string) => path.replaceAll('/', '\0');

/** machine.ts installs it on a machine. */
describe('npm run release', () => {
  let file: string;
  beforeAll(async () => {
    file = packedIn(await sharedRelease());
  }, 15 * 60_000);

  test('packs what runs in production, and nothing of tests, of builds, of this machine or of this time', async () => {
    const list = ['--list', '--verbose', '--numeric-owner', '--full-time', '--file', file];
    const { stdout } = await run('tar', list, { maxBuffer: 1 << 26, env: { ...process.env, TZ: 'UTC' } });
    const lines = stdout.trimEnd().split('\n');
    const committed = await run('git', ['log', '-1', '--format=%cI'], {});
    const time = new Date(committed.stdout.trim()).toISOString().slice(0, 19).replace('T', ' ');
    const allowed = new RegExp(`^(?:[-d]rw[-x]r-[-x]r-[-x]|l\\S+) 0/0 +\\d+ ${time} sightline-[\\d.]+/`);
    expect(lines.filter((line) => !allowed.test(line))).toEqual([]);
    const paths = lines.map((line) => line.replace(/ -> .*/, '').replace(/^.*? sightline-[\d.]+\//, ''));
    expect(paths).toEqual(paths.toSorted((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1)));
    expect(paths).toEqual(
      expect.arrayContaining([
        'gateway/explore/page.js',
        'infra/install',
        'infra/nginx/sightline.conf',
        'docs/first-monday.md',
        'node_modules/.bin/node',
        'node_modules/fastify/package.json',
      ]),
    );
    const tools =
      /^(?:test\/|clients\/(?!google\/|$))|^node_modules\/(?:vitest|typescript|oxfmt|oxlint|esbuild)\/|\/\.cache\/|^node_modules\/.*\.(?:ts|map)$/;
    expect(paths.filter((path) => tools.test(path))).toEqual([]);
  });

  test('leaves out its time and the folder in which it was made: the same commit gives the same bytes', async () => {
    const packed = await open(file);
    const { buffer } = await packed.read(Buffer.alloc(8), 0, 8);
    await packed.close();
    expect(buffer.toString('hex')).toBe('1f8b080000000000'); // gzip, without a name and a time
    const search = ['--count', '--text', 'tmp\\.[A-Za-z0-9]\\{10\\}/sightline-', file];
    await expect(run('zgrep', search)).rejects.toMatchObject({ code: 1, stdout: '0\n' });
  });
});
