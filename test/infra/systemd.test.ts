import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRecordsLocation } from '../../lib/config.ts';
import { blocksOf, pageText, root } from '../docs/pages.ts';
import { describeWith } from '../support/requires.ts';
import { environmentFile, scripts, textAt, wrongSettings } from './installed.ts';

const exec = promisify(execFile);
const units = readdirSync(join(root, 'infra/systemd')).filter((name) => name.startsWith('sightline-'));
const services = units.filter((name) => name.endsWith('.service'));
const unitText = (name: string) => textAt(`infra/systemd/${name}`);
const valuesOf = (name: string, key: string) =>
  [...unitText(name).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);
const settings = environmentFile('infra/systemd/sightline.env');

describe('the units', () => {
  test('start files that the installation has, and commands that there are', () => {
    const paths = services.flatMap((name) => unitText(name).match(/\/opt\/sightline\/[\w./-]+/g) ?? []);
    expect(paths.length).toBeGreaterThan(services.length);
    const absent = paths.filter((path) => !existsSync(join(root, path.replace('/opt/sightline/', ''))));
    expect(absent).toEqual([]);
    const commands = services.flatMap(
      (name) => /\/infra\/sightline (\w+)/.exec(unitText(name))?.slice(1) ?? [],
    );
    expect(commands.toSorted()).toEqual(['gateway', 'job', 'records']);
    expect(commands.filter((name) => !(name in scripts()))).toEqual([]);
  });

  test('are documented by a page that is installed', () => {
    for (const name of units)
      expect(valuesOf(name, 'Documentation')).toEqual(['file:///opt/sightline/docs/install.md']);
  });

  test.each(services)('%s runs as the user sightline, with the settings of the machine', (name) => {
    expect(valuesOf(name, 'User')).toEqual(['sightline']);
    expect(valuesOf(name, 'EnvironmentFile')).toEqual(['/etc/sightline/sightline.env']);
  });

  test('the settings are those of the programs, and stay in the folder that the services may write', () => {
    expect(wrongSettings(settings)).toEqual([]);
    expect(services.flatMap((name) => valuesOf(name, 'StateDirectory'))).toEqual(
      services.map(() => 'sightline'),
    );
    const records = parseRecordsLocation(settings['RECORDS_URL']!) as { path: string };
    const paths = [settings['STORE_URL']!, settings['LAKE_URL']!, records.path];
    expect(paths.map((path) => dirname(path))).toEqual(paths.map(() => '/var/lib/sightline'));
  });

  test('the gateway has longer to stop than its own settings allow it', () => {
    const [seconds] = valuesOf('sightline-gateway.service', 'TimeoutStopSec');
    expect(Number(seconds)).toBeGreaterThan(
      Number(settings['SHUTDOWN_SECONDS'] ?? 10) + Number(settings['DRAIN_SECONDS'] ?? 0),
    );
  });

  test('what looks for drops and what takes them in agree on their names', () => {
    const [pattern] = valuesOf('sightline-ingest.path', 'PathExistsGlob');
    const [folder] = /(?<= )\/var\S+$/.exec(valuesOf('sightline-ingest.service', 'ExecStart')[0]!)!;
    const script = textAt('infra/systemd/ingest-incoming');
    const [, globbed] = /^for drop in "\$1"\/(\S+); do$/m.exec(script)!;
    expect(pattern).toBe(`${folder}/${globbed}`);
  });

  test('infra/install installs all of them, and enables all that want to be', () => {
    const [, enabled] = /^enabled='(.*)'$/m.exec(textAt('infra/install'))!;
    const wanting = units.filter((name) => unitText(name).includes('[Install]'));
    expect(enabled!.split(' ').toSorted()).toEqual(wanting.toSorted());
  });

  test('docs/install.md names each that is enabled, and runs scripts that can be', () => {
    const page = pageText('docs/install.md');
    const [, enabled] = /^enabled='(.*)'$/m.exec(textAt('infra/install'))!;
    expect(enabled!.split(' ').filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const lines = blocksOf(page).flatMap(({ text }) => text.match(/^infra\/\w+/gm) ?? []);
    expect(lines).toContain('infra/install');
    for (const path of lines) expect(statSync(join(root, path)).mode & 0o111).toBe(0o111);
  });
});

describeWith(['systemd-analyze'], 'systemd-analyze', () => {
  let folder: string;
  /** As much of an installed machine as there must be for the units to make sense. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-units-'));
    await cp(join(root, 'infra/systemd'), join(folder, 'etc/systemd/system'), { recursive: true });
    await cp('/usr/lib/systemd/system', join(folder, 'usr/lib/systemd/system'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await writeFile(join(folder, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nsightline:x:999:999::/:/bin/false\n');
    const programs = [
      'bin/sh',
      'opt/sightline/infra/sightline',
      'opt/sightline/infra/systemd/ingest-incoming',
    ];
    for (const path of programs) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), '', { mode: 0o755 });
    }
    for (const page of ['docs']) await symlink(join(root, page), join(folder, 'opt/sightline', page));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('finds nothing wrong with the units', async () => {
    const paths = units.map((name) => `/etc/systemd/system/${name}`);
    const verify = ['verify', `--root=${folder}`, '--man=no', '--recursive-errors=no'];
    expect(await exec('systemd-analyze', [...verify, ...paths])).toMatchObject({ stdout: '', stderr: '' });
  });

  test.each(services)('%s is exposed as little as it can be', async (name) => {
    const path = join(root, 'infra/systemd', name);
    // In tenths: 100 is no protection at all, and what most services of a Debian are near to is 96.
    const judged = exec('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=15',
      '--no-pager',
      path,
    ]);
    await expect(judged).resolves.toBeDefined();
  });

  test.each(['weekly', 'backup'])('sightline-%s.timer goes off when docs/install.md says', async (name) => {
    const [when] = valuesOf(`sightline-${name}.timer`, 'OnCalendar');
    const { stdout } = await exec('systemd-analyze', ['calendar', when!], {
      env: { ...process.env, TZ: 'UTC' },
    });
    expect(stdout).toMatch(
      name === 'weekly' ? /Next elapse: Mon .* 06:00:00 UTC/ : /Next elapse: .* 03:00:00 UTC/,
    );
    expect(pageText('docs/install.md')).toContain(
      name === 'weekly' ? 'Mondays at 06:00 UTC' : 'at 03:00 UTC',
    );
  });
});

test('the weekly job is as of the instant at which its timer goes off', () => {
  const [command] = valuesOf('sightline-weekly.service', 'ExecStart');
  expect(command).toMatch(/ job weekly --due '0 6 \* \* 1'$/);
  expect(valuesOf('sightline-weekly.timer', 'OnCalendar')).toEqual(['Mon *-*-* 06:00:00 UTC']);
});

describeWith(['shellcheck'], 'shellcheck', () => {
  test.each(['infra/install', 'infra/sightline', 'infra/systemd/ingest-incoming'])('%s', async (path) => {
    expect(await exec('shellcheck', ['--shell=sh', path], { cwd: root })).toMatchObject({ stdout: '' });
  });
});

const install = async (...args: string[]) =>
  await exec(join(root, 'infra/install'), args).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ ...error, status: error.code }),
  );

describe('infra/install', () => {
  test('says what it does, and refuses what it does not know with status 2', async () => {
    expect(await install('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(await install('--purge')).toMatchObject({ status: 2, stdout: '' });
  });

  test('a dry run names every command, and none of them reaches the internet or removes data', async () => {
    const { status, stderr } = await install('--dry-run');
    const commands = stderr.trim().split('\n');
    expect(status).toBe(0);
    expect(commands.filter((line) => !line.startsWith('+ '))).toEqual([]);
    expect(
      commands.filter((line) => /\b(?:curl|wget|npm|apt|git)\b/.test(line.replaceAll(root, ''))),
    ).toEqual([]);
    const removed = commands
      .filter((line) => / rm /.test(line))
      .map((line) => line.replace(/^\+ rm -rf /, ''));
    expect(removed.length).toBeGreaterThan(0);
    expect(removed.filter((path) => !path.startsWith('/opt/sightline.'))).toEqual([]);
  });
});
