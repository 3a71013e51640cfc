import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { doctor } from './installation.ts';

/** The rights of users and failed units: test/infra/recovery.ts and newcomer.ts, on a machine. */
describe('on an installed machine the doctor', () => {
  let [settings, state] = ['', ''];
  const succeeded = async (hoursAgo: number, ...units: string[]) => {
    const seconds = Math.floor(Date.now() / 1000 - hoursAgo * 3600);
    for (const unit of units) {
      const text = `sightline_unit_last_success_timestamp_seconds{unit="sightline-${unit}"} ${seconds}\n`;
      await writeFile(join(state, `metrics/sightline-${unit}-unit.prom`), text);
    }
  };
  beforeEach(async () => {
    const folder = await temporaryFolder();
    [settings, state] = [join(folder, 'etc'), join(folder, 'var')];
    for (const path of [settings, `${state}/incoming`, `${state}/metrics`])
      await mkdir(path, { recursive: true });
    await writeFile(join(settings, 'alert'), `${await readFile('infra/systemd/alert', 'utf8')}\nmail me\n`);
    await writeFile(join(state, 'metrics/sightline-weekly.prom'), '');
    await succeeded(47, 'backup', 'copy', 'verify');
  });
  const drop = async (name: string, bytes: number) => {
    await mkdir(join(state, 'incoming', name, 'runs'), { recursive: true });
    await writeFile(join(state, 'incoming', name, 'runs/a.ndjson'), Buffer.alloc(bytes));
  };
  const look = async (more: Record<string, string> = {}) => {
    const machine = {
      SETTINGS_FOLDER: settings,
      STATE_FOLDER: state,
      BACKUP_URL: 's3://copies/sightline',
      // By default in the checkout, where `npm start` makes them.
      STORE_URL: join(state, 'store'),
      LAKE_URL: join(state, 'lake'),
      RECORDS_URL: `sqlite:${join(state, 'records/records.db')}`,
    };
    return await doctor({ ...machine, ...more }, '--only', 'machine');
  };

  test('finds nothing wrong after a good night, and says how much the ingested drops take', async () => {
    await drop('2026-11-16', 1e6);
    await drop('2026-11-16.ingested.20261116T060000Z', 2e6);
    await drop('2026-11-09.ingested.20261109T060000Z', 1e6);
    const { complaints, found } = await look();
    expect(complaints).toEqual([]);
    const until = 'a copy that succeeds removes them after KEEP_DROPS_DAYS';
    expect(found('drops: ingested')).toBe(`2 take 3 MB; ${until}`);
  });

  test('finds backups, copies and verifications that are more than two days old, or never succeeded', async () => {
    await succeeded(49, 'backup', 'copy');
    await rm(join(state, 'metrics/sightline-verify-unit.prom'));
    const { complaints, found } = await look();
    expect(complaints).toEqual(['failure backup: records', 'failure backup: copy', 'failure verification']);
    expect(found('backup: copy')).toMatch(/^the last success was at .*, more than 48 hours ago$/);
    expect(found('verification')).toBe('the store was never verified');
  });

  test('finds that nothing is copied; but a night whose timer is disabled is left out', async () => {
    const { complaints, found } = await look({ BACKUP_URL: '' });
    expect(complaints).toEqual(['failure backup: copy']);
    expect(found('backup: copy')).toBe('BACKUP_URL is not set: if this disk is lost, so is everything');
    const programs = await temporaryFolder();
    await writeFile(join(programs, 'systemctl'), '#!/bin/sh\necho disabled', { mode: 0o755 });
    const PATH = `${programs}:${process.env['PATH']}`;
    expect((await look({ BACKUP_URL: '', PATH })).complaints).not.toContain('failure backup: copy');
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
});
