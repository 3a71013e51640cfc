import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { markedBlock, root as project } from '../docs/pages.ts';
import { projectFiles } from '../house/files.ts';
import { until } from '../support/until.ts';
import { describeInDebian, destroy, endOf, makeDebian, runBeside, runIn, startIn } from './debian.ts';
import type { Ended } from './debian.ts';

const MINUTES = 60_000;
// On a busy machine, five times longer than alone.
vi.setConfig({ testTimeout: 5 * MINUTES });
const block = (name: string) => markedBlock('docs/install.md', `machine: ${name}`);

/**
 * The newcomer's path in docs/install.md, line by line, on a bare Debian with a systemd of its own. Only what needs
 * the internet (apt-get, npm ci) is run before that one is booted: it has a network of its own, without a way out.
 */
describeInDebian('docs/install.md, One small machine, followed to the letter', () => {
  let folder: string;
  let machine: string;
  let booted: ChildProcess;
  const sh = async (script: string): Promise<Ended> =>
    await runBeside(booted, ['sh', '-euc', `cd /srv/sightline; ${script}`]);

  /** @throws Error where a line fails. */
  async function follow(script: string): Promise<Ended> {
    const ended = await sh(script);
    if (ended.status !== 0)
      throw new Error(`${script}\n${ended.stdout}\n${ended.stderr}\n${await journal()}`);
    return ended;
  }
  const journal = async () => (await sh("journalctl --no-pager --unit 'sightline-*'")).stdout;
  const restarts = async (unit: string) => (await sh(`systemctl show -P NRestarts ${unit}`)).stdout.trim();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-machine-'));
    machine = join(folder, 'machine');
    await makeDebian(machine, 'bookworm', ['systemd-sysv']);
    await bringTheProject(join(machine, 'srv/sightline'));
    const [online, ...offline] = block('install').split(/(?=^infra\/install)/m);
    await runIn(machine, `cd /srv/sightline; ${online}`, { online: true });
    booted = await startIn(machine, ['--boot']);
    const ended = endOf(booted);
    await until(async () => booted.exitCode !== null || /running|degraded/.test((await isRunning()).stdout));
    if (booted.exitCode !== null) throw new Error(`no Debian boots here: ${(await ended).stderr}`);
    await follow(offline.join(''));
  }, 20 * MINUTES);
  const isRunning = async () =>
    await runBeside(booted, ['systemctl', 'is-system-running']).catch(() => ({ stdout: '' }));
  afterAll(async () => {
    if (booted !== undefined) await destroy(booted);
    await rm(folder, { recursive: true, force: true });
  }, MINUTES);

  test('the gateway runs, is ready, and answers 401 to everybody', async () => {
    await until(async () => (await sh('curl --silent --fail http://127.0.0.1:9464/readyz')).status === 0);
    const asked = await sh(
      "curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:8080/api/v1/brands",
    );
    expect(asked.stdout).toBe('401');
    expect((await sh('systemctl --failed --no-legend')).stdout).toBe('');
  });

  test(
    'a drop and a key later it answers with the brands of the drop',
    async () => {
      await follow(block('drop'));
      const { stdout } = await follow(block('key'));
      const { data } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { data: { name: string }[] };
      expect(data.map(({ name }) => name)).toEqual(['Fjordfield', 'Quordesk', 'Opalpoint']);
    },
    5 * MINUTES,
  );

  test(
    'a drop that comes in is taken in by itself; one that cannot be read is set aside, and the next goes on',
    async () => {
      const incoming = '/var/lib/sightline/incoming';
      const named = async () => await readdir(join(machine, incoming));
      await follow(
        `mkdir ${incoming}/bad && echo nonsense > ${incoming}/bad/runs.parquet && mv ${incoming}/bad ${incoming}/2026-11-17`,
      );
      await until(async () => (await named()).some((name) => name.startsWith('2026-11-17.failed.')));
      await follow('useradd --groups sightline-drops tracker');
      const deliver = `umask 027; cp -r my/drop ${incoming}/good; mv ${incoming}/good ${incoming}/2026-11-18`;
      await follow(`runuser -u tracker -- sh -euc '${deliver}'`);
      await until(async () => (await named()).some((name) => name.startsWith('2026-11-18.taken.')));
      expect((await named()).map((name) => name.split('.').slice(0, 2).join('.')).toSorted()).toEqual([
        '2026-11-16.taken',
        '2026-11-17.failed',
        '2026-11-18.taken',
      ]);
      expect(await journal()).toContain('runs.parquet');
    },
    2 * MINUTES,
  );

  test('the timers are set, and a backup can be restored while the gateway runs', async () => {
    const timers = (await sh('systemctl list-timers --no-legend --no-pager')).stdout;
    expect(timers).toContain('sightline-weekly.timer');
    expect(timers).toContain('sightline-backup.timer');
    await follow('systemctl start sightline-backup');
    const { stdout } = await follow(
      'sightline records restore --json --from $(ls /var/lib/sightline/backups/* | tail -n 1)',
    );
    expect(JSON.parse(stdout)).toMatchObject({ workspaces: 1, keys: 1 });
    await follow('curl --fail --silent http://127.0.0.1:9464/readyz');
  });

  test('its user can change nothing of the code, and whoever delivers drops can read nothing of it all', async () => {
    const writable = await sh(
      'runuser -u sightline -- find /opt/sightline /etc/sightline -writable ! -type l',
    );
    expect(writable).toMatchObject({ status: 0, stdout: '' });
    const state = '/var/lib/sightline';
    for (const user of ['nobody', 'tracker']) {
      const readable = await sh(
        `runuser -u ${user} -- find ${state}/* /etc/sightline/* -maxdepth 0 -readable`,
      );
      const own = user === 'tracker' ? `${state}/incoming\n` : '';
      expect({ user, readable: readable.stdout }).toEqual({ user, readable: own });
    }
  });

  test('a gateway that dies is started again; one that is told to stop ends with status 0', async () => {
    await follow('kill -KILL $(systemctl show -P MainPID sightline-gateway)');
    await until(async () => (await restarts('sightline-gateway')) === '1');
    await until(async () => (await sh('curl --silent --fail http://127.0.0.1:9464/readyz')).status === 0);
    await follow('systemctl stop sightline-gateway');
    expect((await sh('systemctl show -P Result -P ExecMainStatus sightline-gateway')).stdout).toBe(
      'success\n0\n',
    );
    await follow('systemctl start sightline-gateway');
  });

  test('installed again it keeps settings and data, and serves the new code', async () => {
    await follow(
      'echo POINTER_REFRESH_SECONDS=1 >> /etc/sightline/sightline.env; touch LICENSE new-file; cp LICENSE lib/new-file.ts',
    );
    const before = await follow(
      'sightline records workspace list --json; find /var/lib/sightline/store -type f | sort',
    );
    await follow('infra/install');
    await until(async () => (await sh('curl --silent --fail http://127.0.0.1:9464/readyz')).status === 0);
    await follow(
      'test -e /opt/sightline/lib/new-file.ts; grep POINTER_REFRESH_SECONDS=1 /etc/sightline/sightline.env',
    );
    const after = await follow(
      'sightline records workspace list --json; find /var/lib/sightline/store -type f | sort',
    );
    expect(after.stdout).toBe(before.stdout);
  });

  test('a dry run prints and changes nothing', async () => {
    const state = 'find /opt /etc /var/lib/sightline /usr/local -newer /srv/mark';
    await follow('touch /srv/mark');
    const dry = await follow('infra/install --dry-run && infra/install --dry-run --uninstall');
    expect(dry.stderr).toMatch(/^\+ systemctl daemon-reload$/m);
    const changed = (await sh(state)).stdout
      .split('\n')
      .filter((path) => /install|\/opt|\/etc|local/.test(path));
    expect(changed).toEqual([]);
  });

  test('uninstalled it leaves settings and data, and nothing else', async () => {
    const { stdout } = await follow('infra/install --uninstall');
    expect(stdout).toContain('Left alone: /var/lib/sightline, /etc/sightline, the user sightline');
    const left = await sh(
      'ls -d /opt/sightline* /usr/local/bin/sightline /etc/systemd/system/sightline* 2>/dev/null',
    );
    expect(left.stdout).toBe('');
    await follow('test -e /var/lib/sightline/records.db; test -e /etc/sightline/sightline.env');
    expect((await sh('systemctl --failed --no-legend')).stdout).toBe('');
  });
});

/** A clone with what is not in git yet, and a drop of its owner's in it. */
async function bringTheProject(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const path of projectFiles().filter((file) => !file.startsWith('test/'))) {
    await cp(join(project, path), join(to, path));
  }
  const demo = ['--workspaces', '1', '--brands', '3', '--prompts', '8', '--as-of', '2026-11-16T06:00:00Z'];
  const program = join(project, 'jobs/cli.ts');
  await promisify(execFile)(process.execPath, [program, 'demo', '--to', join(to, 'my/drop'), ...demo]);
}
