import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../infra/doctor/finding.ts';
import { markedBlock } from '../docs/pages.ts';
import { block, state } from './machine.ts';
import type { Machine } from './machine.ts';

const store = `${state}/store`;
const isWeekly = (wanted: string) => `test "$(systemctl show -P SubState sightline-weekly)" = ${wanted}`;
/** A block of commands of docs/procedures.md. */
const procedure = (name: string) => markedBlock('docs/procedures.md', `machine: ${name}`);

export function describeRecovery(machine: Machine): void {
  /** The failures that the doctor reports. */
  const failures = async () => {
    const { findings } = JSON.parse((await machine.sh('sightline doctor --json')).stdout) as {
      findings: Finding[];
    };
    return findings.filter((finding) => finding.state === 'failure');
  };
  const deliver = async (date: string) =>
    await machine.follow(
      `cp -r drop ${state}/incoming/good; mv ${state}/incoming/good ${state}/incoming/${date}`,
    );

  describe('one machine after a failure', () => {
    beforeAll(async () => {
      const { follow, startOver, untilReady } = machine;
      await startOver();
      for (const name of ['alert', 'name', 'drop']) await follow(block(name));
      await untilReady();
      await follow(block('key'));
      await follow(`rm -rf drop
      sightline job demo --to /var/tmp/drop-again --workspaces 1 --brands 3 --prompts 8
      mv /var/tmp/drop-again drop; chmod -R go+rX drop`);
    });

    test('everything but secrets is copied, and then old drops are removed, also those of other users', async () => {
      const { sh, follow, inFolder } = machine;
      const old = `${state}/incoming/2026-01-05.ingested.20260105T060000Z`;
      await follow('getent passwd tracker || useradd --groups sightline-drops tracker');
      await follow(`runuser -u tracker -- sh -euc 'umask 027; cp -r drop ${old}'`);
      await follow(`systemctl start sightline-copy; test -e ${old}`);
      await follow(`mount -t tmpfs tmpfs ${state}/copies; chown sightline: ${state}/copies`);
      await follow(block('copy'));
      for (const part of ['store', 'lake'])
        await follow(`diff -r -x '.*' ${state}/${part} ${state}/copies/${part}`);
      await follow(`diff -r ${state}/backups ${state}/copies/records`);
      const drops = await inFolder(`${state}/incoming`);
      expect(drops.filter((name) => name !== '.ingested')).toEqual([
        expect.stringMatching(/^2026-11-16\.ingested\./),
      ]);
      for (const name of ['sightline.env', 'public.pem'])
        await follow(`cmp /etc/sightline/${name} ${state}/copies/settings/${name}`);
      const secrets = await sh(`grep -rlE 'PRIVATE KEY|^SIGNING_KEY|^RECORDS_URL' ${state}/copies`);
      expect(secrets).toMatchObject({ status: 1, stdout: '' });
    });

    test('the nightly doctor finds what is restored as root, and that is reported; infra/install repairs it', async () => {
      const { sh, follow, untilTrue, untilReady } = machine;
      await follow(`chown -R root:root ${store}; chown root ${state}/records/records.db
        chown root:root ${state}/lake/deliveries`);
      const found = (await failures()).map((finding) => `${finding.subject}: ${finding.found}`);
      expect(found.map((text) => text.replaceAll(`${state}/`, ''))).toEqual([
        'access: sightline cannot write store',
        'access: sightline would write files without the group sightline-gateway to store',
        'access: sightline-gateway cannot read store',
        'access: sightline cannot write lake/deliveries',
        'access: sightline-gateway cannot write records/records.db',
      ]);
      expect((await sh('systemctl start sightline-doctor')).status).toBe(1);
      await untilTrue('grep sightline-doctor /var/log/failed');
      await follow('/opt/sightline/current/infra/install; systemctl start sightline-doctor');
      await untilReady();
      expect(await failures()).toEqual([]);
    });

    test('a drop that comes while a failed weekly run waits for its next attempt is published at once', async () => {
      const { follow, printed, untilTrue } = machine;
      const key = `${state}/keys/sightline.private.pem`;
      await follow(`mv ${key} ${key}.away; systemctl restart --no-block sightline-weekly`);
      await untilTrue(isWeekly('auto-restart'));
      expect((await failures()).map(({ subject }) => subject)).toContain('units');
      await follow(`mv ${key}.away ${key}`);
      await deliver('2026-11-19');
      await untilTrue(isWeekly('dead'));
      expect(await printed('systemctl show -P Result sightline-weekly')).toBe('success');
    });

    test('a lake that is restored from a copy gets the drops that came later again', async () => {
      const { follow, untilTrue, inFolder } = machine;
      await follow('systemctl start sightline-copy');
      await deliver('2026-11-20');
      await untilTrue(`ls -d ${state}/incoming/2026-11-20.ingested.*`);
      await untilTrue('! systemctl is-active sightline-ingest sightline-weekly sightline-late');
      const deliveries = await inFolder(`${state}/lake/deliveries`);
      await follow(`rm -r ${state}/lake; cp -r ${state}/copies/lake ${state}/lake`);
      expect(await inFolder(`${state}/lake/deliveries`)).not.toEqual(deliveries);
      await follow(procedure('lake restored'));
      expect(await inFolder(`${state}/lake/deliveries`)).toEqual(deliveries);
    });

    const ask =
      'curl --fail --silent --header "Authorization: Bearer $(cat /srv/key)" http://127.0.0.1:8080/api/v1/brands';
    let before: string;
    const [alert, key] = ['/srv/alert', '/srv/offline.pem'];

    test('uninstalling leaves only settings and data', async () => {
      const { sh, follow, printed } = machine;
      await follow('sightline records key create 786adf6f-be83-4013-a45b-2ecfa7c1bc77 > /srv/key');
      await follow('systemctl start sightline-backup; systemctl start sightline-copy');
      before = await printed(ask);
      await follow(`cp /etc/sightline/alert ${alert}; cp ${state}/keys/sightline.private.pem ${key}`);
      const { stdout } = await follow('sightline-0.1.0/infra/install --uninstall');
      expect(await machine.journal()).not.toContain('timed out'); // every unit stopped in time
      expect(stdout).toContain('Not removed: /var/lib/sightline, /etc/sightline, the users sightline and');
      const left = 'ls -d /opt/sightline* /usr/local/bin/sightline /etc/systemd/system/sightline*';
      expect((await sh(left)).stdout).toBe('');
      await follow(`test -e ${state}/records/records.db; test -e /etc/sightline/sightline.env`);
      expect(await printed('systemctl --failed --no-legend')).toBe('');
    });

    test('if the disk is lost, another machine continues from the copies: same key, same log, same documents', async () => {
      const { follow, printed, untilReady } = machine;
      await follow(
        `find ${state} -mindepth 1 -maxdepth 1 ! -name copies -exec rm -r {} +; rm -r /etc/sightline`,
      );
      await follow(
        'userdel sightline; userdel sightline-gateway; groupdel sightline-drops; groupdel sightline-metrics',
      );
      await follow('useradd --system another; chown -R 4242:4242 /var/lib/sightline/copies'); // other ids than before
      await follow(`copies=${state}/copies; key=${key}\n${procedure('disk lost')}`);
      await follow(
        `echo BACKUP_URL=${state}/copies >> /etc/sightline/job.env; cp ${alert} /etc/sightline/alert`,
      );
      await follow(procedure('disk lost, start'));
      await untilReady();
      expect(await printed(ask)).toBe(before);
      expect(await machine.journal()).not.toContain('Not intact');
      expect(await failures()).toEqual([]);
    });
  });
}
