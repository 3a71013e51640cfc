import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi, afterEach } from 'vitest';
import { givenByWrapper, readConfig } from '../../lib/config.ts';
import type { Finding } from '../../infra/doctor/finding.ts';
import { examineAccess } from '../../infra/doctor/installed/access.ts';
import { examineInstalled } from '../../infra/doctor/installed/examine.ts';
import type { Installed } from '../../infra/doctor/installed/place.ts';
import { asTypedHere } from '../../infra/doctor/installed/place.ts';
import { run } from '../../infra/doctor/installed/run.ts';
import type { Run } from '../../infra/doctor/installed/run.ts';
import { textAt } from '../infra/installed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeUnlessMissing } from '../support/requires.ts';

const now = Date.parse('2026-11-24T05:30:00Z');
const clock = { now: () => now };

/** Answers as systemctl, with the units that failed and the timers that are disabled. Other programs find nothing. */
function systemd(failed: readonly string[], disabled: readonly string[] = []): Run {
  const answer = (args: readonly string[]): [number, string] => {
    if (args[0] === 'list-units')
      return [0, failed.map((unit) => `${unit} loaded failed failed Sightline\n`).join('')];
    return disabled.includes(args[1]!) ? [1, 'disabled\n'] : [0, 'enabled\n'];
  };
  return async (program, args) => {
    const [status, stdout] = program === 'systemctl' ? answer(args) : [0, ''];
    return await Promise.resolve({ status, stdout, stderr: '' });
  };
}

describe('on an installed machine the doctor', () => {
  let installed: Installed;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    installed = { settings: join(folder, 'etc'), state: join(folder, 'var') };
    for (const path of ['etc', 'var/incoming', 'var/metrics', 'var/verify'])
      await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(installed.settings, 'alert'), `${textAt('infra/systemd/alert')}\nmail me\n`);
    await writeFile(join(installed.state, 'verify/checkpoint'), '');
    for (const unit of ['backup', 'copy', 'verify']) await succeeded(unit, now - 3_600_000);
    vi.stubEnv('BACKUP_URL', 's3://copies/sightline');
  });
  afterEach(() => vi.unstubAllEnvs());

  const succeeded = async (unit: string, time: number) =>
    await writeFile(
      join(installed.state, `metrics/sightline-${unit}-unit.prom`),
      `sightline_unit_last_success_timestamp_seconds{unit="sightline-${unit}"} ${time / 1000}\n`,
    );

  async function look(
    asked = systemd([]),
  ): Promise<{ complaints: string[]; of: (subject: string) => Finding }> {
    const findings = await examineInstalled(installed, clock, asked);
    const bad = findings.filter(({ state }) => state === 'warning' || state === 'failure');
    return {
      complaints: bad.map(({ subject, state }) => `${state} ${subject}`),
      of: (subject) => findings.find((finding) => finding.subject === subject)!,
    };
  }

  test('finds nothing wrong after a good night', async () => {
    expect((await look()).complaints).toEqual([]);
  });

  test('names the units that have failed, and not the one that runs the doctor', async () => {
    const { complaints, of } = await look(systemd(['sightline-doctor.service', 'sightline-weekly.service']));
    expect(complaints).toEqual(['failure units']);
    expect(of('units').found).toBe('failed: sightline-weekly.service');
    expect((await look(systemd(['sightline-doctor.service']))).complaints).toEqual([]);
  });

  test('finds that nothing is copied, unless the timer of the copy is disabled', async () => {
    vi.stubEnv('BACKUP_URL', '');
    const { complaints, of } = await look();
    expect(complaints).toEqual(['failure backup: copy']);
    expect(of('backup: copy').found).toBe('BACKUP_URL is not set: if this disk is lost, so is everything');
    expect((await look(systemd([], ['sightline-copy.timer']))).complaints).toEqual([]);
  });

  test('finds backups, copies and verifications that are more than two days old, or never succeeded', async () => {
    for (const unit of ['backup', 'copy', 'verify']) await succeeded(unit, now - 49 * 3_600_000);
    const all = ['failure backup: records', 'failure backup: copy', 'failure verification'];
    const old = await look();
    expect(old.complaints).toEqual(all);
    expect(old.of('verification').found).toBe(
      'the last success was at 2026-11-22T04:30:00.000Z, more than 48 hours ago',
    );
    for (const unit of ['backup', 'copy', 'verify'])
      await writeFile(join(installed.state, `metrics/sightline-${unit}-unit.prom`), 'sightline_unit 0\n');
    expect((await look()).complaints).toEqual(all);
  });

  test('finds drops that were refused, and says how much the ingested ones take', async () => {
    const drop = async (name: string, bytes: number) => {
      await mkdir(join(installed.state, 'incoming', name, 'runs'), { recursive: true });
      await writeFile(join(installed.state, 'incoming', name, 'runs/a.ndjson'), Buffer.alloc(bytes));
    };
    await drop('2026-11-16', 1e6);
    await drop('2026-11-16.ingested.20261116T060000Z', 2e6);
    await drop('2026-11-09.ingested.20261109T060000Z', 1e6);
    const { complaints, of } = await look();
    expect(complaints).toEqual([]);
    expect(of('drops: ingested').found).toBe(
      '2 take 3 MB; a copy that succeeds removes them after KEEP_DROPS_DAYS',
    );
    await drop('2026-11-02.failed.20261102T060000Z', 1);
    await writeFile(join(installed.state, 'metrics/sightline-copy-unit.prom'), '');
    const refused = await look();
    expect(refused.complaints).toContain('warning drops: refused');
    expect(refused.of('drops: refused').found).toBe('1, the newest is 2026-11-02.failed.20261102T060000Z');
    expect(refused.of('drops: ingested').found).toBe(
      '2 take 3 MB; they stay until a copy to BACKUP_URL succeeds',
    );
  });

  test('finds a script for alerts that nobody has edited, also if only its comments were', async () => {
    await writeFile(join(installed.settings, 'alert'), `# mine\n${textAt('infra/systemd/alert')}`);
    expect((await look()).complaints).toEqual(['warning alert']);
  });
});

const groupOf = (user: string) => (user === 'nobody' ? 'nogroup' : user);
const missing = process.getuid?.() === 0 ? [] : ['the rights of root'];
describeUnlessMissing(missing, 'be root', 'access', () => {
  /** Users and a group that every Debian has, in the place of those of infra/install. */
  const stand: Record<string, string> = { sightline: 'games', 'sightline-gateway': 'nobody' };
  const asOthers: Run = async (program, args) =>
    await run(
      program,
      args.map((arg) => {
        const [, option, user] = /^(--re[ug]id)=(.*)$/.exec(arg) ?? [];
        if (option !== undefined)
          return `${option}=${option === '--regid' ? groupOf(stand[user!]!) : stand[user!]!}`;
        return arg === 'sightline-gateway' ? 'nogroup' : arg;
      }),
    );

  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    await chmod(folder, 0o755);
    for (const path of ['store/log', 'lake/runs', 'records'])
      await mkdir(join(folder, path), { recursive: true });
    for (const path of ['store/log/checkpoint', 'lake/runs/a', 'records/records.db'])
      await writeFile(join(folder, path), '');
    await sh(
      'chown -R games:nogroup store; chmod -R u=rwX,g=rX,o= store; find store -type d -exec chmod g+s {} +',
    );
    await sh('chown -R games:games lake; chmod -R u=rwX,go= lake');
    await sh('chown -R nobody:nogroup records; chmod -R u=rwX,go= records');
  });
  const sh = async (script: string) => {
    const ended = await run('sh', ['-euc', `cd ${folder}; ${script}`]);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
  };
  const look = async () => {
    const config = readConfig({
      STORE_URL: join(folder, 'store'),
      LAKE_URL: join(folder, 'lake'),
      RECORDS_URL: `sqlite:${join(folder, 'records/records.db')}`,
    });
    const findings = await examineAccess({ settings: folder, state: folder }, config, asOthers);
    return findings.map(({ state, found }) => `${state}: ${found.replace(`${folder}/`, '')}`);
  };

  test('is right as infra/install makes it', async () => {
    expect(await look()).toEqual(['ok: sightline and sightline-gateway can read and write what they need']);
  });

  test.each([
    ['a lake restored as root', 'chown -R root:root lake', ['sightline cannot write lake']],
    ['one object restored as root', 'chown root:root lake/runs/a', ['sightline cannot write lake/runs/a']],
    [
      'a store restored as root',
      'chown -R root:root store',
      [
        'sightline cannot write store',
        'would write files without the group sightline-gateway to store',
        'sightline-gateway cannot read store',
      ],
    ],
    [
      'a store whose folders lost their setgid bit: the next checkpoint would be unreadable',
      'chmod -R g-s store',
      ['sightline would write files without the group sightline-gateway to store'],
    ],
    [
      'records restored as root',
      'chown root records/records.db',
      ['sightline-gateway cannot write records/records.db'],
    ],
  ])('%s is a failure', async (_what, harm, expected) => {
    await sh(harm);
    const found = await look();
    expect(found).toHaveLength(expected.length);
    for (const [index, text] of expected.entries())
      expect(found[index]).toMatch(new RegExp(`^failure: .*${text}$`));
  });
});

describe('commands in remedies', () => {
  const text = '"npm run audit -- log complete" or "npm run job -- ingest", then "npm run doctor"; "npm ci"';
  test('are those of a checkout', () => {
    expect(asTypedHere(text, givenByWrapper({}))).toBe(text);
  });
  test('are "sightline …" where that command runs the doctor', () => {
    expect(asTypedHere(text, givenByWrapper({ SIGHTLINE_COMMAND: 'sightline' }))).toBe(
      '"sightline audit log complete" or "sightline job ingest", then "sightline doctor"; "npm ci"',
    );
  });
});
