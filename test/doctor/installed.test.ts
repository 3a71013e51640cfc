import { mkdir, readFile, rm, writeFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { doctor } from './installation.ts';

const HOUR_MS = 3_600_000;

/** The rights of users: test/infra/recovery.ts, on a machine. */
describe('on an installed machine the doctor', () => {
  let [settings, state] = ['', ''];
  beforeEach(async () => {
    const folder = await temporaryFolder();
    [settings, state] = [join(folder, 'etc'), join(folder, 'var')];
    for (const path of [settings, `${state}/incoming`, `${state}/metrics`])
      await mkdir(path, { recursive: true });
    await writeFile(join(settings, 'alert'), `${await readFile('infra/systemd/alert', 'utf8')}\nmail me\n`);
    await writeFile(join(state, 'metrics/sightline-weekly.prom'), '');
    for (const unit of ['backup', 'copy', 'verify']) await succeeded(unit, 1);
  });

  const succeeded = async (unit: string, hoursAgo: number) => {
    const seconds = Math.floor((Date.now() - hoursAgo * HOUR_MS) / 1000);
    const text = `sightline_unit_last_success_timestamp_seconds{unit="sightline-${unit}"} ${seconds}\n`;
    await writeFile(join(state, `metrics/sightline-${unit}-unit.prom`), text);
  };
  const drop = async (name: string, bytes: number) => {
    await mkdir(join(state, 'incoming', name, 'runs'), { recursive: true });
    await writeFile(join(state, 'incoming', name, 'runs/a.ndjson'), Buffer.alloc(bytes));
  };
  const look = async (BACKUP_URL = 's3://copies/sightline', more: Record<string, string> = {}) =>
    await doctor(
      { SETTINGS_FOLDER: settings, STATE_FOLDER: state, BACKUP_URL, ...more },
      '--only',
      'machine',
    );

  test('finds nothing wrong after a good night, and says how much the ingested drops take', async () => {
    await drop('2026-11-16', 1e6);
    await drop('2026-11-16.ingested.20261116T060000Z', 2e6);
    await drop('2026-11-09.ingested.20261109T060000Z', 1e6);
    const { complaints, found } = await look();
    expect(complaints).toEqual([]);
    const until = 'a copy that succeeds removes them after KEEP_DROPS_DAYS';
    expect(found('drops: ingested')).toBe(`2 take 3 MB; ${until}`);
  });

  test('finds that nothing is copied', async () => {
    await rm(join(state, 'metrics/sightline-copy-unit.prom'));
    const { complaints, found } = await look('');
    expect(complaints).toEqual(['failure backup: copy']);
    expect(found('backup: copy')).toBe('BACKUP_URL is not set: if this disk is lost, so is everything');
    expect(found('drops: ingested')).toBe('0 take 0 MB; they stay until a copy to BACKUP_URL succeeds');
  });

  test('finds backups, copies and verifications that are more than two days old, or never succeeded', async () => {
    const all = ['failure backup: records', 'failure backup: copy', 'failure verification'];
    for (const unit of ['backup', 'copy', 'verify']) await succeeded(unit, 47);
    expect((await look()).complaints).toEqual([]);
    for (const unit of ['backup', 'copy', 'verify']) await succeeded(unit, 49);
    const old = await look();
    expect(old.complaints).toEqual(all);
    expect(old.found('verification')).toMatch(/^the last success was at .*, more than 48 hours ago$/);
    for (const unit of ['backup', 'copy', 'verify'])
      await writeFile(join(state, `metrics/sightline-${unit}-unit.prom`), 'sightline_unit 0\n');
    const never = await look();
    expect(never.complaints).toEqual(all);
    expect(never.found('verification')).toBe('the store was never verified');
  });

  test('names the units that have failed, but not its own, and leaves out a night whose timer is disabled', async () => {
    const programs = await temporaryFolder();
    const text = `#!/bin/sh
case "$1 $2" in
  list-units*) for unit in doctor weekly; do echo "sightline-$unit.service loaded failed failed Sightline"; done ;;
  *copy.timer) echo disabled ;;
esac`;
    await writeFile(join(programs, 'systemctl'), text, { mode: 0o755 });
    const { complaints, found } = await look('', { PATH: `${programs}:${process.env['PATH']}` });
    expect(complaints).toEqual(['failure units']);
    expect(found('units')).toBe('failed: sightline-weekly.service');
  });

  test('finds refused drops, folders that no one ingests, and a script for alerts of which only comments were edited', async () => {
    await drop('2026-11-02.failed.20261102T060000Z', 1);
    await drop('coming', 1); // one of today may be on its way
    await drop('16-11-2026', 1);
    await utimes(join(state, 'incoming/16-11-2026'), new Date(0), new Date(0));
    await writeFile(join(settings, 'alert'), `# mine\n${await readFile('infra/systemd/alert', 'utf8')}`);
    const { complaints, found } = await look();
    expect(complaints).toEqual(['warning alert', 'warning drops: refused', 'warning drops: ignored']);
    expect(found('drops: ignored')).toBe('16-11-2026: no date, so nothing ingests it');
    expect(found('drops: refused')).toBe('1, the newest is 2026-11-02.failed.20261102T060000Z');
  });

  test('names the commands of the machine', async () => {
    const { findings } = await doctor(
      { SETTINGS_FOLDER: settings, STATE_FOLDER: state, SIGHTLINE_COMMAND: 'sightline', LAKE_URL: state },
      '--only',
      'lake',
    );
    const { remedy } = findings.find(({ subject }) => subject === 'lake')!;
    expect(remedy).toBe('"sightline job ingest --new-lake" makes it a lake');
  });
});
