import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { transcriptOf } from '../support/transcript.ts';

/** `/etc/sightline` and `/var/lib/sightline` of a machine after a good night, and the programs that the doctor asks. */
let [settings, state, programs] = ['', '', ''];
beforeEach(async () => {
  const folder = await temporaryFolder();
  [settings, state, programs] = ['etc', 'var', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const folders = ['incoming', 'metrics', 'backups', 'verify', 'store', 'lake', 'records'];
  for (const path of [settings, programs, ...folders.map((name) => join(state, name))])
    await mkdir(path, { recursive: true });
  await writeFile(join(settings, 'alert'), `${await readFile('infra/systemd/alert', 'utf8')}\nmail me\n`);
  await writeFile(join(settings, 'key'), '');
  await writeFile(join(state, 'metrics/sightline-weekly.prom'), '');
  await succeeded(47, 'backup', 'copy', 'verify');
  await program('systemctl', 'true');
  await program('setpriv', 'true');
});

/** A program of the machine, as a script. The real ones: test/infra/recovery.ts and newcomer.ts. */
async function program(name: string, script: string): Promise<void> {
  await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

async function succeeded(hoursAgo: number, ...units: string[]): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000 - hoursAgo * 3600);
  for (const unit of units) {
    const text = `sightline_unit_last_success_timestamp_seconds{unit="sightline-${unit}"} ${seconds}\n`;
    await writeFile(join(state, `metrics/sightline-${unit}-unit.prom`), text);
  }
}

async function drop(name: string, bytes: number): Promise<void> {
  await mkdir(join(state, 'incoming', name, 'runs'), { recursive: true });
  await writeFile(join(state, 'incoming', name, 'runs/a.ndjson'), Buffer.alloc(bytes));
}

test.each<[string, () => Promise<Record<string, string> | void>]>([
  [
    'a good night',
    async () => {
      await drop('tracked-2026', 1); // one of today may be on its way
      await drop('2026-11-16', 1e6);
      await drop('2026-11-16.ingested.20261116T060000Z', 2e6);
      await drop('2026-11-09.ingested.20261109T060000Z', 1_499_999); // one byte more would be 4 MB
    },
  ],
  [
    'failed units, old backups, refused drops and files of others',
    async () => {
      const failed = '"sightline-doctor.service failed" " sightline-weekly.service failed" "$*"';
      await program('systemctl', `[ "$1" = is-enabled ] || printf "%s\\n" ${failed}`);
      await writeFile(join(settings, 'alert'), `# mine\n${await readFile('infra/systemd/alert', 'utf8')}`);
      await succeeded(49, 'backup', 'copy');
      await rm(join(state, 'metrics/sightline-verify-unit.prom'));
      await drop('2026-11-02.failed.20261102T060000Z', 1);
      await drop('2026-11-09.failed.20261109T060000Z', 1);
      for (const name of ['16-11-2026', '09-11-2026']) {
        await drop(name, 1);
        await utimes(join(state, 'incoming', name), new Date(0), new Date(0));
      }
      await program('setpriv', 'echo "$@"');
    },
  ],
  [
    'nothing of all that before the first week',
    async () => {
      await program('systemctl', 'echo no bus >&2; exit 1');
      for (const folder of ['incoming', 'metrics']) await rm(join(state, folder), { recursive: true });
      await rm(join(settings, 'alert'));
      await rm(join(programs, 'setpriv'));
    },
  ],
  [
    'disabled timers and missing users',
    async () => {
      await rm(join(state, 'metrics/sightline-copy-unit.prom'));
      await program('systemctl', '[ "$1" != is-enabled ] || echo disabled');
      await program('setpriv', 'echo "no such user: $1" >&2; exit 1');
      return { BACKUP_URL: '' };
    },
  ],
  ['no copies', async () => ({ BACKUP_URL: '' })],
])('on an installed machine the doctor finds %s as golden/installed shows', async (what, prepare) => {
  const places = {
    SETTINGS_FOLDER: settings,
    STATE_FOLDER: state,
    SIGHTLINE_COMMAND: 'sightline',
    PATH: programs,
    BACKUP_URL: 's3://copies/sightline',
    STORE_URL: join(state, 'store'),
    LAKE_URL: join(state, 'lake'),
    RECORDS_URL: `sqlite:${join(state, 'records/records.db')}`,
    SIGNING_KEY_FILE: join(settings, 'key'),
    PUBLIC_KEY_FILE: join(settings, 'key'),
  };
  const transcript = await transcriptOf([prepare, '$ doctor --only machine'], { settings: places });
  const golden = join(import.meta.dirname, `golden/installed/${what.replaceAll(/,? /g, '-')}.txt`);
  await expect(transcript).toMatchFileSnapshot(golden);
});
