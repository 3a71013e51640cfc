import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageText, root } from '../docs/pages.ts';
import { describeWith } from '../support/requires.ts';
import { textAt } from './installed.ts';

const exec = promisify(execFile);
const units = readdirSync(join(root, 'infra/systemd')).filter((name) =>
  /^sightline-.*\.\w+$(?<!\.d)/.test(name),
);
/** The doctor runs as root. */
const ofUsers = units.filter((name) => /^sightline-(?!doctor)[a-z]+\.service$/.test(name));
/** Every shell script that is installed. */
const scriptPaths = [
  ...['alert', 'backup-records', 'copy-data', 'ingest-incoming', 'remove-drops'].map(
    (name) => `infra/systemd/${name}`,
  ),
  ...['install', 'sightline', 'write-unit-metrics'].map((name) => `infra/${name}`),
];

describeWith(['systemd-analyze'], 'systemd-analyze', () => {
  let folder: string;
  /** The files of an installed machine that the units refer to. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-units-'));
    const installed = readdirSync(join(root, 'infra/systemd')).filter((name) =>
      name.startsWith('sightline-'),
    );
    for (const name of installed)
      await cp(join(root, 'infra/systemd', name), join(folder, 'etc/systemd/system', name), {
        recursive: true,
      });
    await cp('/usr/lib/systemd/system', join(folder, 'usr/lib/systemd/system'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const users = ['root', 'sightline', 'sightline-gateway', 'sightline-metrics'];
    const lines = (rest: string) => users.map((name, id) => `${name}:x:${id}:${rest}\n`).join('');
    await writeFile(join(folder, 'etc/passwd'), lines('0::/:/bin/sh'));
    await writeFile(join(folder, 'etc/group'), lines(''));
    const programs = [
      'bin/sh',
      'bin/rm',
      'bin/systemctl',
      'etc/sightline/alert',
      ...scriptPaths.map((path) => `opt/sightline/current/${path}`),
    ];
    for (const path of programs) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), '', { mode: 0o755 });
    }
    await symlink(join(root, 'docs'), join(folder, 'opt/sightline/current/docs'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('finds nothing wrong with the units', async () => {
    const paths = units.map((name) => `/etc/systemd/system/${name}`);
    const verify = ['verify', `--root=${folder}`, '--man=no', '--recursive-errors=no'];
    expect(await exec('systemd-analyze', [...verify, ...paths])).toMatchObject({ stdout: '', stderr: '' });
  });

  // Tenths: 100 is no protection, and most services of Debian have about 96. The doctor reads as root and becomes other
  // users; the alert must be able to send mail.
  test.each([
    ...ofUsers.map((name): [string, number, number] => [name, 0, 15]),
    ['sightline-doctor.service', 0, 40],
    ['sightline-alert@sightline-weekly.service', 51, 100],
  ])('the exposure of %s is from %i to %i', async (name, least, most) => {
    const judged = ['security', '--offline=true', `--root=${folder}`, '--threshold=100', '--no-pager', name];
    const { stdout } = await exec('systemd-analyze', judged);
    const exposure = Number(/exposure level for \S+: (\d+\.\d)/.exec(stdout)![1]) * 10;
    expect(exposure).toBeGreaterThanOrEqual(least);
    expect(exposure).toBeLessThanOrEqual(most);
  });

  test.each([
    ['weekly', /Next elapse: Mon .* 06:00:00 UTC/, 'Mondays at 06:00 UTC'],
    ['backup', /Next elapse: .* 03:00:00 UTC/, 'at 03:00 UTC'],
    ['verify', /Next elapse: .* 04:30:00 UTC/, 'at 04:30 UTC'],
    ['doctor', /Next elapse: .* 05:30:00 UTC/, 'at 05:30 UTC'],
  ])('sightline-%s.timer goes off when docs/first-monday.md says', async (name, next, said) => {
    const [, when] = /^OnCalendar=(.*)$/m.exec(textAt(`infra/systemd/sightline-${name}.timer`))!;
    const { stdout } = await exec('systemd-analyze', ['calendar', when!], {
      env: { ...process.env, TZ: 'UTC' },
    });
    expect(stdout).toMatch(next);
    expect(pageText('docs/first-monday.md')).toContain(said);
  });
});

describeWith(['shellcheck'], 'shellcheck', () => {
  test('finds nothing wrong with the scripts', async () => {
    const found = await exec('shellcheck', ['--shell=sh', ...scriptPaths, 'infra/release'], { cwd: root });
    expect(found).toMatchObject({ stdout: '' });
  });
});
