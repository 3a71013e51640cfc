import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { block, gatewayPid, state } from './machine.ts';
import type { Machine } from './machine.ts';

/** The section on upgrades of docs/first-monday.md, on the machine of newcomer.ts. */
export function describeReleases(machine: Machine): void {
  const now = async () => await machine.printed('readlink /opt/sightline/current');
  const running = async () =>
    await machine.printed(`readlink /proc/${await gatewayPid(machine)}/exe | cut -d / -f 1-5`);

  describe('upgrade, and back', () => {
    test('keeps settings, data, the previous release, and one that a process still uses', async () => {
      const { follow, printed, untilReady, inFolder } = machine;
      const present = await now();
      const old = '/opt/sightline/releases/2026';
      await follow(`echo STORE_REFRESH_SECONDS=1 >> /etc/sightline/sightline.env
        mkdir ${old}-unused ${old}-used; cp /bin/sleep ${old}-used; systemd-run --unit=used ${old}-used/sleep 1d
        cp sightline-0.1.0/LICENSE sightline-0.1.0/lib/new-file.ts; touch mark`);
      const look = `sightline records workspace list --json; find ${state}/store -type f | sort`;
      const before = await printed(look);
      await follow(`tar --create --file sightline-0.2.0-linux-x64.tar.gz --transform 's/^sightline-0.1.0/sightline-0.2.0/' sightline-0.1.0
        ${block('upgrade')}`);
      await untilReady();
      const kept = ['2026-used', basename(present), basename(await now())];
      expect(await inFolder('/opt/sightline/releases')).toEqual(kept.toSorted());
      expect(await printed(`find ${present} -newer mark`)).toBe('');
      expect(await running()).toBe(await now());
      await follow(`test -e /opt/sightline/current/lib/new-file.ts
        grep STORE_REFRESH_SECONDS=1 /etc/sightline/sightline.env; systemctl stop used`);
      expect(await printed(look)).toBe(before);
    });

    test('the previous release can be restored, and then the later one', async () => {
      const { follow, printed, untilReady, inFolder } = machine;
      const releases = [await printed('readlink /opt/sightline/previous'), await now()];
      for (const expected of releases) {
        await follow(block('rollback'));
        await untilReady();
        expect(await running()).toBe(expected);
      }
      expect(await inFolder('/opt/sightline/releases')).toEqual(releases.map((path) => basename(path)));
    });

    test('a dry run prints and changes nothing', async () => {
      const { follow, printed } = machine;
      await follow('touch mark');
      const dry = await follow(`sightline-0.2.0/infra/install --dry-run
        sightline-0.2.0/infra/install --dry-run --uninstall`);
      expect(dry.stderr).toMatch(/^\+ systemctl daemon-reload$/m);
      expect(await printed('find /opt /etc /usr/local -newer mark')).toBe('');
    });
  });
}
