import { beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../infra/doctor/finding.ts';
import { markedBlock } from '../docs/pages.ts';
import { until } from '../support/until.ts';
import { describeInDebian } from './debian.ts';
import { block, installedMachine, state } from './installed-machine.ts';

const store = `${state}/store`;
/** A block of commands of docs/procedures.md. */
const procedure = (name: string) => markedBlock('docs/procedures.md', `machine: ${name}`);

describeInDebian('one machine after a failure', () => {
  const installed = installedMachine();
  const { sh, follow, printed, isReady, inFolder, reported } = installed;
  const incoming = async () => await inFolder(`${state}/incoming`);
  /** The failures that the doctor reports. */
  const failures = async () => {
    const { findings } = JSON.parse((await sh('sightline doctor --json')).stdout) as { findings: Finding[] };
    return findings.filter(({ state: found }) => found === 'failure').map(({ subject }) => subject);
  };
  const deliver = async (date: string) =>
    await follow(`cp -r drop ${state}/incoming/good; mv ${state}/incoming/good ${state}/incoming/${date}`);
  const isIngested = async (date: string) =>
    (await incoming()).some((name) => name.startsWith(`${date}.ingested.`));

  beforeAll(async () => {
    for (const name of ['alert', 'name', 'drop']) await follow(block(name));
    await until(isReady);
    await follow(block('key'));
    await follow(
      'sightline job demo --to /var/tmp/drop --workspaces 1 --brands 3 --prompts 8; mv /var/tmp/drop .',
    );
    await follow('chmod -R go+rX drop');
  });

  test('everything but secrets is copied, and then old drops are removed, also those of other users', async () => {
    const old = `${state}/incoming/2026-01-05.ingested.20260105T060000Z`;
    await follow('useradd --groups sightline-drops tracker');
    await follow(`runuser -u tracker -- sh -euc 'umask 027; cp -r drop ${old}'`);
    await follow(`systemctl start sightline-copy; test -e ${old}`);
    await follow(`mount -t tmpfs tmpfs ${state}/copies; chown sightline: ${state}/copies`);
    await follow(block('copy'));
    for (const part of ['store', 'lake'])
      await follow(`diff -r -x '.*' ${state}/${part} ${state}/copies/${part}`);
    await follow(`diff -r ${state}/backups ${state}/copies/records`);
    expect(await inFolder(`${state}/incoming`)).not.toContain(old.split('/').at(-1));
    expect(await isIngested('2026-11-16')).toBe(true);
    for (const name of ['sightline.env', 'public.pem'])
      await follow(`cmp /etc/sightline/${name} ${state}/copies/settings/${name}`);
    const secrets = await sh(`grep -rlE 'PRIVATE KEY|^SIGNING_KEY|^RECORDS_URL' ${state}/copies`);
    expect(secrets).toMatchObject({ status: 1, stdout: '' });
  });

  test('the nightly doctor finds what is restored as root, and that is reported; infra/install repairs it', async () => {
    await follow('systemctl start sightline-doctor');
    await reported();
    await follow(`chown -R root:root ${state}/lake; chmod -R g-s ${store}`);
    expect(await failures()).toEqual(['access', 'access']);
    expect((await sh('systemctl start sightline-doctor')).status).toBe(1);
    await until(async () => (await reported()).includes('sightline-doctor\n'));
    await follow('/opt/sightline/current/infra/install; systemctl start sightline-doctor');
    await until(isReady);
    expect(await failures()).toEqual([]);
  });

  test('a drop that comes while a failed weekly run waits for its next attempt is published at once', async () => {
    const key = `${state}/keys/sightline.private.pem`;
    await follow(`mv ${key} ${key}.away; systemctl restart --no-block sightline-weekly`);
    const stateOfWeekly = async () => await printed('systemctl show -P SubState sightline-weekly');
    await until(async () => (await stateOfWeekly()) === 'auto-restart');
    expect(await failures()).toContain('units');
    await follow(`mv ${key}.away ${key}`);
    await deliver('2026-11-19');
    await until(async () => (await stateOfWeekly()) === 'dead');
    expect(await printed('systemctl show -P Result sightline-weekly')).toBe('success');
  });

  test('a lake that is restored from a copy gets the drops that came later again', async () => {
    await follow('systemctl start sightline-copy');
    await deliver('2026-11-20');
    await until(async () => await isIngested('2026-11-20'));
    await until(
      async () =>
        (await sh('systemctl is-active sightline-weekly sightline-late')).stdout === 'inactive\ninactive\n',
    );
    const deliveries = await inFolder(`${state}/lake/deliveries`);
    await follow(`rm -r ${state}/lake; cp -r ${state}/copies/lake ${state}/lake`);
    expect(await inFolder(`${state}/lake/deliveries`)).not.toEqual(deliveries);
    await follow(procedure('lake restored'));
    expect(await inFolder(`${state}/lake/deliveries`)).toEqual(deliveries);
  });

  test('if the disk is lost, another machine continues from the copies: same key, same log, same documents', async () => {
    const ask =
      'curl --fail --silent --header "Authorization: Bearer $(cat /srv/key)" http://127.0.0.1:8080/api/v1/brands';
    await follow('sightline records key create 786adf6f-be83-4013-a45b-2ecfa7c1bc77 > /srv/key');
    await follow('systemctl start sightline-backup; systemctl start sightline-copy');
    const before = await printed(ask);
    const [alert, key] = ['/srv/alert', '/srv/offline.pem'];
    await follow(`cp /etc/sightline/alert ${alert}; cp ${state}/keys/sightline.private.pem ${key}`);
    await follow('sightline-0.1.0/infra/install --uninstall');
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
    await until(isReady);
    expect(await printed(ask)).toBe(before);
    expect(await installed.machine.journal()).not.toContain('Not intact');
    expect(await failures()).toEqual([]);
  });
});
