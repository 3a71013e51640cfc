import { describe, expect, test } from 'vitest';
import { markedBlock } from '../docs/pages.ts';
import { state } from './machine.ts';
import type { Machine } from './machine.ts';

const store = `${state}/store`;
/** A block of commands of docs/procedures.md. */
const procedure = (name: string) => markedBlock('docs/procedures.md', `machine: ${name}`);

/** What is lost comes back; continues on the machine of newcomer.ts, with its copies and the folder `drop`. */
export function describeRecovery(machine: Machine): void {
  describe('one machine after a failure', () => {
    test('the nightly doctor finds what is restored as root, and that is reported; infra/install repairs it', async () => {
      const { sh, follow, untilTrue, untilReady, failures } = machine;
      await machine.untilIdle();
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
    });

    test('a copy only adds; a lake that is restored from it gets the drops that came later again', async () => {
      const { follow, untilTrue, inFolder } = machine;
      // The copy deletes nothing, and keeps what it replaces: upgrades changed the settings.
      await follow(`backup=$(ls ${state}/backups | head -n 1)
        rm ${state}/backups/$backup; systemctl start sightline-copy
        test -e ${state}/copies/records/$backup; ls ${state}/copies/replaced/*/settings/sightline.env
        cp -r drop ${state}/incoming/good; mv ${state}/incoming/good ${state}/incoming/2026-11-20`);
      await untilTrue(`ls -d ${state}/incoming/2026-11-20.ingested.*`);
      await machine.untilIdle();
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
      await machine.untilIdle();
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
      const { follow, printed, untilReady, failures } = machine;
      // The users of the other machine have other ids than before.
      await follow(`find ${state} -mindepth 1 -maxdepth 1 ! -name copies -exec rm -r {} +; rm -r /etc/sightline
        userdel sightline; userdel sightline-gateway; groupdel sightline-drops; groupdel sightline-metrics
        useradd --system another; chown -R 4242:4242 ${state}/copies`);
      await follow(`copies=${state}/copies; key=${key}\n${procedure('disk lost')}`);
      await follow(
        `echo BACKUP_URL=${state}/copies >> /etc/sightline/job.env; cp ${alert} /etc/sightline/alert`,
      );
      const { stdout } = await follow(procedure('disk lost, start'));
      expect(stdout).toContain('\n0 failed, ');
      await untilReady();
      expect(await printed(ask)).toBe(before);
      expect(await machine.journal()).not.toContain('Not intact');
      expect(await failures()).toEqual([]);
    });
  });
}
