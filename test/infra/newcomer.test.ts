import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { describeInDebian } from './debian.ts';
import { block, installedMachine, state } from './installed-machine.ts';

const store = `${state}/store`;

/**
 * The steps of docs/first-monday.md, line by line, on a bare Debian with its own systemd. Only apt-get, which needs the
 * internet, runs before it is booted.
 */
describeInDebian('docs/first-monday.md, followed to the letter', () => {
  const installed = installedMachine();
  const { sh, follow, printed, isReady, inFolder, reported, gatewayPid } = installed;
  const incoming = async () => await inFolder(`${state}/incoming`);
  const releaseOf = async (pid: string) =>
    /^\/opt\/sightline\/releases\/[^/]+/.exec(await printed(`readlink /proc/${pid}/exe`))?.[0];

  test('the gateway runs, waits for the first week, and responds 401 without a key', async () => {
    await until(async () => (await sh('curl --silent --fail http://127.0.0.1:9464/healthz')).status === 0);
    expect(await isReady()).toBe(false);
    const asked = await sh(
      "curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:8080/api/v1/brands",
    );
    expect(asked.stdout).toBe('401');
    expect((await sh('systemctl --failed --no-legend')).stdout).toBe('');
  });

  test('before the first week there is nothing to verify, which is not a failure', async () => {
    await follow('systemctl start sightline-verify');
    expect(await inFolder(`${state}/metrics`)).toEqual([]);
    expect((await sh('systemctl --failed --no-legend')).stdout).toBe('');
  });

  test('after a name, a drop and a key it returns the brands of the drop', async () => {
    await follow(block('alert'));
    expect(await reported()).toBe('test\n');
    await follow(block('name'));
    await follow(block('drop'));
    await until(isReady, 'the gateway is ready');
    const { stdout } = await follow(block('key'));
    const { data } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['Rillbay', 'Mosspath', 'Dunesignal']);
  });

  test('behind nginx it returns the same over TLS, and names the public address', async () => {
    await follow(block('certificate') + block('nginx'));
    await until(isReady, 'the gateway is ready');
    const ask =
      'curl --fail --silent --cacert /etc/ssl/sightline.crt --resolve api.example.com:443:127.0.0.1';
    const key = '$(sightline records key create 786adf6f-be83-4013-a45b-2ecfa7c1bc77)';
    const brands = await printed(`${ask} -H "x-api-key: ${key}" https://api.example.com/api/v1/brands`);
    expect(brands).toContain('"name":"Rillbay"');
    const { servers } = JSON.parse(await printed(`${ask} https://api.example.com/openapi.json`)) as {
      servers: { url: string }[];
    };
    expect(servers[0]!.url).toBe('https://api.example.com');
    expect(await printed(`${ask} https://api.example.com/explore`)).toContain('<title>');
  });

  test('the week is signed, in the log and verified against a state; each unit has written its metrics', async () => {
    await until(async () => (await inFolder(`${state}/metrics`)).includes('sightline-late-unit.prom'));
    await follow('systemctl start sightline-verify');
    expect(await installed.machine.journal()).toMatch(/Intact\.$/m);
    const verified = JSON.parse(await printed('sightline audit verify --json')) as { checked: object };
    expect(verified.checked).toMatchObject({ snapshots: 1, logEntries: 2 });
    expect(await inFolder(`${state}/verify`)).toContain('checkpoint');
    const units = ['ingest', 'late', 'verify', 'weekly'].map((name) => `sightline-${name}-unit.prom`);
    const files = [...units, 'sightline-verify.prom', 'sightline-weekly.prom'];
    expect(await inFolder(`${state}/metrics`)).toEqual(files.toSorted());
    const readable =
      "usermod --append --groups sightline-metrics nobody; runuser -u nobody -- sh -c 'cat /var/lib/sightline/metrics/*'";
    expect(await printed(readable)).toContain('sightline_unit_last_run_success{unit="sightline-weekly"} 1');
  });

  test('a new drop is ingested automatically; an unreadable one is set aside and reported, and the next one is ingested', async () => {
    await reported();
    const at = `${state}/incoming`;
    await follow(`mkdir ${at}/bad; echo nonsense > ${at}/bad/runs.parquet; mv ${at}/bad ${at}/2026-11-17`);
    await until(async () => (await incoming()).some((name) => name.startsWith('2026-11-17.failed.')));
    let seen = '';
    await until(async () => (seen += await reported()).includes('\n'));
    expect(seen).toBe('sightline-ingest\n');
    await follow('useradd --groups sightline-drops tracker');
    await follow(
      'sightline job demo --to /var/tmp/drop --workspaces 1 --brands 3 --prompts 8; chmod -R go+rX /var/tmp/drop',
    );
    const deliver = `umask 027; cp -r /var/tmp/drop ${at}/good; mv ${at}/good ${at}/2026-11-18`;
    await follow(`runuser -u tracker -- sh -euc '${deliver}'`);
    await until(async () => (await incoming()).some((name) => name.startsWith('2026-11-18.ingested.')));
    // `.ingested` is the mark that starts the weekly job again.
    const drops = (await incoming()).filter((name) => name !== '.ingested');
    const outcomes = drops.map((name) => name.split('.').slice(0, 2).join('.'));
    expect(outcomes).toEqual(['2026-11-16.ingested', '2026-11-17.failed', '2026-11-18.ingested']);
    expect(await installed.machine.journal()).toContain('runs.parquet');
  });

  test('the timers are active; a backup can be put in the place of the records; the newest 30 are kept', async () => {
    const timers = await printed('systemctl list-timers --no-legend --no-pager');
    for (const name of ['weekly', 'backup', 'copy', 'verify', 'doctor'])
      expect(timers).toContain(`sightline-${name}.timer`);
    await follow(`for day in $(seq 10 44); do touch ${state}/backups/records-202601$day'T030000Z.db'; done`);
    await follow('systemctl start sightline-backup');
    const kept = await inFolder(`${state}/backups`);
    expect(kept).toHaveLength(30);
    expect(kept[0]).toBe('records-20260116T030000Z.db');
    const restore = /^systemctl stop sightline-gateway\n[^`]*/m.exec(
      readFileSync('docs/procedures.md', 'utf8'),
    )![0];
    await follow(`backup=${kept.at(-1)}; ${restore}`);
    await until(isReady, 'the gateway is ready');
    expect(JSON.parse(await printed('sightline records workspace list --json'))).toMatchObject([
      { activeKeys: 2 },
    ]);
  });

  test('before BACKUP_URL is set, the copy is skipped and leaves no metrics; afterwards the doctor finds nothing wrong', async () => {
    const metrics = `${state}/metrics/sightline-copy-unit.prom`;
    await follow(`systemctl start sightline-copy; test ! -e ${metrics}`);
    await follow(`mount -t tmpfs -o mode=0700 tmpfs ${state}/copies; chown sightline: ${state}/copies`);
    const { stdout } = await follow(block('copy'));
    expect(stdout).toContain('\n0 failed');
    expect(await printed(block('look'))).toMatch(/sightline-weekly\.timer[^]* current\n[^]*\n0 failed/);
    expect(stdout).not.toContain('npm run');
    expect(await printed(`cat ${metrics}`)).toMatch(/success\{unit="sightline-copy"\} 1\n/);
  });

  test('the user of the gateway can read the store, but not write it, and not read the signing key', async () => {
    const gateway = async (script: string) => await sh(`runuser -u sightline-gateway -- sh -c '${script}'`);
    expect(await gateway(`find ${store} ! -readable`)).toMatchObject({ status: 0, stdout: '' });
    expect((await gateway(`find ${store} -writable`)).stdout).toBe('');
    const secrets = [`${state}/keys/sightline.private.pem`, '/etc/sightline/job.env', `${state}/lake`];
    for (const path of secrets) {
      expect((await gateway(`ls ${path} && cat ${path}`)).stderr).toContain('Permission denied');
      expect((await sh(`runuser -u sightline -- ls ${path}`)).status).toBe(0);
    }
    expect((await sh(`runuser -u sightline -- cat ${state}/records/records.db`)).stderr).toContain(
      'Permission',
    );
    // Its process cannot, even if the permissions of the files allow it.
    const inside = `nsenter --target ${await gatewayPid()} --mount -- `;
    expect((await sh(`${inside}touch ${store}/x`)).stderr).toContain('Read-only file system');
    expect((await sh(`${inside}find ${state}/keys ${state}/backups ${state}/lake -type f`)).stdout).toBe('');
  });

  test('no user can change the code, and the user who delivers drops can read only public settings', async () => {
    for (const user of ['sightline', 'sightline-gateway']) {
      const writable = await sh(
        `runuser -u ${user} -- find /opt/sightline /etc/sightline -writable ! -type l`,
      );
      expect(writable).toMatchObject({ status: 0, stdout: '' });
    }
    const cache = '/opt/sightline/current/node_modules/.cache/';
    expect(await printed(`runuser -u sightline-gateway -- find ${cache} ! -readable`)).toBe('');
    // The old records were moved away by the page on backups; what is in them keeps its rights (0600).
    const paths = `${state}/* /etc/sightline/* ${state}/records-lost/*`;
    const readable = await sh(`runuser -u tracker -- find ${paths} -maxdepth 0 -readable`);
    const own = `${state}/incoming ${state}/records-lost /etc/sightline/public.pem /etc/sightline/sightline.env`;
    expect(readable.stdout).toBe(`${own.replaceAll(' ', '\n')}\n`);
  });

  test('a gateway that dies is restarted; a stopped one exits with status 0', async () => {
    await follow(`kill -KILL ${await gatewayPid()}`);
    await until(async () => (await printed('systemctl show -P NRestarts sightline-gateway')) === '1');
    await until(isReady, 'the gateway is ready');
    await follow('systemctl stop sightline-gateway');
    expect((await sh('systemctl show -P Result -P ExecMainStatus sightline-gateway')).stdout).toBe(
      'success\n0\n',
    );
    await follow('systemctl start sightline-gateway');
  });

  test('a unit that keeps failing is given up and reported: gateway, weekly job, verification', async () => {
    await reported();
    const settings = '/etc/sightline/sightline.env';
    await follow(`cp ${settings} /srv/settings; echo LOG_LEVEL=nonsense >> ${settings}`);
    const quick = '[Unit]\\nStartLimitBurst=2\\n[Service]\\nRestartSec=100ms\\n';
    for (const unit of ['gateway', 'weekly']) {
      const at = `/run/systemd/system/sightline-${unit}.service.d`;
      await follow(`mkdir -p ${at}; printf '${quick}' > ${at}/quick.conf`);
    }
    await follow('systemctl daemon-reload');
    await sh('systemctl restart --no-block sightline-gateway sightline-weekly sightline-verify');
    let seen = '';
    const units = ['gateway', 'verify', 'weekly'].map((name) => `sightline-${name}\n`);
    await until(async () => {
      seen += await reported();
      return units.every((unit) => seen.includes(unit));
    });
    expect(await printed('systemctl is-failed sightline-gateway sightline-weekly sightline-verify')).toBe(
      'failed\nfailed\nfailed',
    );
    expect(await printed(`cat ${state}/metrics/sightline-weekly-unit.prom`)).toMatch(/success\{.*\} 0\n/);
    await follow(
      `cp /srv/settings ${settings}; rm -r /run/systemd/system/sightline-*; systemctl daemon-reload`,
    );
    await follow(
      'systemctl reset-failed; systemctl start sightline-gateway sightline-weekly sightline-verify',
    );
    await until(isReady, 'the gateway is ready');
  });

  test('installed again while the gateway runs: it keeps its data, and its release until it is restarted', async () => {
    const [pid, present] = [await gatewayPid(), await printed('readlink /opt/sightline/current')];
    await follow(
      'echo STORE_REFRESH_SECONDS=1 >> /etc/sightline/sightline.env; cp sightline-0.1.0/LICENSE sightline-0.1.0/lib/new-file.ts',
    );
    const look = `sightline records workspace list --json; find ${store} -type f | sort`;
    const before = await printed(look);
    const code = `cd ${present}; find . -type f ! -path '*/.cache/*' | sort | xargs sha256sum | sha256sum`;
    const sum = await printed(code);
    for (const time of [1, 2]) {
      await follow('sightline-0.1.0/infra/install --no-start');
      expect({ time, release: await releaseOf(pid) }).toEqual({ time, release: present });
      expect(await printed(code)).toBe(sum);
      await until(
        async () =>
          (await printed('date --utc +%Y%m%dT%H%M%SZ')) >
          (await printed('basename $(readlink /opt/sightline/current)')),
      );
    }
    await follow('curl --fail --silent http://127.0.0.1:8080/docs');
    await follow(
      'cp -r sightline-0.1.0 sightline-0.2.0; tar --create --gzip --file sightline-0.2.0-linux-x64.tar.gz sightline-0.2.0',
    );
    await follow(`rm -r sightline-0.2.0; ${block('upgrade')}`);
    await until(isReady, 'the gateway is ready');
    expect(await releaseOf(await gatewayPid())).toBe(await printed('readlink /opt/sightline/current'));
    await follow(
      'test -e /opt/sightline/current/lib/new-file.ts; grep STORE_REFRESH_SECONDS=1 /etc/sightline/sightline.env',
    );
    expect(await printed(look)).toBe(before);
  });

  test('the previous release can be restored, and then the later one', async () => {
    const [now, before] = [
      await printed('readlink /opt/sightline/current'),
      await printed('readlink /opt/sightline/previous'),
    ];
    for (const expected of [before, now]) {
      await follow(block('rollback'));
      await until(isReady, 'the gateway is ready');
      expect(await releaseOf(await gatewayPid())).toBe(expected);
    }
    expect(await inFolder('/opt/sightline/releases')).toEqual(
      [before, now].map((path) => path.split('/').at(-1)),
    );
  });

  test('a dry run prints and changes nothing', async () => {
    const changed = 'find /opt /etc /usr/local -newer /srv/mark';
    await follow('touch /srv/mark');
    const dry = await follow(
      'sightline-0.2.0/infra/install --dry-run && sightline-0.2.0/infra/install --dry-run --uninstall',
    );
    expect(dry.stderr).toMatch(/^\+ systemctl daemon-reload$/m);
    expect((await sh(changed)).stdout).toBe('');
  });

  test('uninstalling leaves only settings and data', async () => {
    const { stdout } = await follow('sightline-0.2.0/infra/install --uninstall');
    expect(await installed.machine.journal()).not.toContain('timed out'); // every unit stopped in time
    expect(stdout).toContain('Not removed: /var/lib/sightline, /etc/sightline, the users sightline and');
    const left = await sh(
      'ls -d /opt/sightline* /usr/local/bin/sightline /etc/systemd/system/sightline* 2>/dev/null',
    );
    expect(left.stdout).toBe('');
    await follow(`test -e ${state}/records/records.db; test -e /etc/sightline/sightline.env`);
    expect((await sh('systemctl --failed --no-legend')).stdout).toBe('');
  });
});
