import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { markedBlock, pageText } from '../docs/pages.ts';
import { until } from '../support/until.ts';
import { block, gatewayPid, state } from './machine.ts';
import type { Machine } from './machine.ts';

const store = `${state}/store`;
const failedUnits = 'systemctl --failed --no-legend';
const ready = 'http://127.0.0.1:9464/readyz';

/** The steps of docs/first-monday.md, line by line. */
export function describeFirstMonday(machine: Machine): void {
  describe('docs/first-monday.md, followed to the letter', () => {
    testFirstWeek(machine);
    testUnits(machine);
    testDrops(machine);
    testRights(machine);
    testFailingUnits(machine);
  });
}

function testFirstWeek(machine: Machine): void {
  test('the gateway runs, waits for the first week, and responds 401 without a key; verify does not fail', async () => {
    const { sh, printed, untilTrue } = machine;
    await untilTrue('curl --silent --fail http://127.0.0.1:9464/healthz');
    expect((await sh(`curl --silent --fail ${ready}`)).status).not.toBe(0);
    const status = "curl --silent --output /dev/null --write-out '%{http_code}'";
    expect(await printed(`${status} http://127.0.0.1:8080/api/v1/brands`)).toBe('401');
    await machine.follow('systemctl start sightline-verify');
    expect(await machine.inFolder(`${state}/metrics`)).toEqual([]);
    expect(await printed(failedUnits)).toBe('');
  });

  test('after a name, a drop and a key it returns the brands of the drop', async () => {
    const { follow, printed, reported, untilReady } = machine;
    await follow(block('alert'));
    expect(await reported()).toBe('test\n');
    await follow(block('name'));
    await follow(block('drop'));
    await untilReady();
    const lines = (await printed(block('key'))).split('\n');
    const { data } = JSON.parse(lines.at(-1)!) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['Rillbay', 'Mosspath', 'Dunesignal']);
  });

  test('behind nginx it returns the same over TLS, and names the public address', async () => {
    const { follow, printed, untilReady } = machine;
    await follow(block('certificate') + block('nginx'));
    await untilReady();
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
    const { follow, printed, untilTrue, inFolder } = machine;
    await untilTrue(`test -e ${state}/metrics/sightline-late-unit.prom`);
    await follow('systemctl start sightline-verify');
    expect(await machine.journal()).toMatch(/Intact\.$/m);
    expect(await inFolder(`${state}/verify`)).toContain('checkpoint');
    const units = ['ingest', 'late', 'verify', 'weekly'].map((name) => `sightline-${name}-unit.prom`);
    const files = [...units, 'sightline-verify.prom', 'sightline-weekly.prom'];
    expect(await inFolder(`${state}/metrics`)).toEqual(files.toSorted());
    const readable = `usermod --append --groups sightline-metrics nobody; runuser -u nobody -- sh -c 'cat ${state}/metrics/*'`;
    expect(await printed(readable)).toContain('sightline_unit_last_run_success{unit="sightline-weekly"} 1');
  });

  test('alerts and the dashboard ask for metrics that gateway, jobs and units expose', async () => {
    const text = await machine.printed(`curl --silent http://127.0.0.1:9464/metrics; cat ${state}/metrics/*`);
    const exposed = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!));
    const rules = readdirSync('infra/prometheus/rules').flatMap((name) =>
      expressionsIn(`prometheus/rules/${name}`),
    );
    const shown = expressionsIn('grafana/sightline.json');
    expect(Math.min(rules.length, shown.length)).toBeGreaterThan(10);
    for (const expr of [...rules, ...shown]) {
      const names = [...expr.matchAll(/\bsightline_\w+/g)].map(([name]) => name);
      const isExposed = (name: string) =>
        exposed.has(name) || exposed.has(name.replace(/_(?:bucket|sum|count)$/, ''));
      expect({ expr, unknown: names.filter((name) => !isExposed(name)) }).toEqual({ expr, unknown: [] });
    }
  });
}

/** The PromQL of a file of infra. */
function expressionsIn(path: string): string[] {
  const found: string[] = [];
  parse(readFileSync(`infra/${path}`, 'utf8'), (key, value: unknown) => {
    if (key === 'expr') found.push(String(value));
    return value;
  });
  return found;
}

function testUnits(machine: Machine): void {
  test('systemd finds nothing wrong with the units, which are in a sandbox and start when the page says', async () => {
    const { follow, printed, inFolder } = machine;
    const units = (await inFolder('etc/systemd/system')).filter((name) => /^sightline-.*[^d]$/.test(name));
    const paths = units.map((name) => `/etc/systemd/system/${name}`).join(' ');
    const verify = `systemd-analyze verify --man=no --recursive-errors=no ${paths}`;
    expect(await follow(verify)).toMatchObject({ stdout: '', stderr: '' });
    // Tenths: most services of Debian have about 96. The doctor reads as root and becomes other users.
    const services = units.filter((name) => /^sightline-[a-z]+\.service$/.test(name));
    for (const name of services) {
      const threshold = name === 'sightline-doctor.service' ? 40 : 15;
      await follow(`systemd-analyze security --offline=true --threshold=${threshold} --no-pager ${name}`);
    }
    for (const [name, when, said] of [
      ['weekly', 'Mon *-*-* 06:00:00 UTC', 'Mondays at 06:00 UTC'],
      ['backup', '*-*-* 03:00:00 UTC', 'at 03:00 UTC'],
      ['copy', '*-*-* 03:30:00 UTC', 'at 03:30 UTC'],
      ['verify', '*-*-* 04:30:00 UTC', 'at 04:30 UTC'],
      ['doctor', '*-*-* 05:30:00 UTC', 'at 05:30 UTC'],
    ] as const) {
      const show = `systemctl show -P ActiveState -P TimersCalendar sightline-${name}.timer`;
      expect(await printed(show)).toMatch(new RegExp(`OnCalendar=${RegExp.escape(when)} [^]*^active$`, 'm'));
      expect(pageText('docs/first-monday.md')).toContain(said);
    }
  });
}

function testDrops(machine: Machine): void {
  test('new drops are ingested automatically; an unreadable one is set aside and reported, and the next one is ingested', async () => {
    const { follow, reported, untilTrue, inFolder } = machine;
    await reported();
    const at = `${state}/incoming`;
    await follow(`mkdir ${at}/bad; echo nonsense > ${at}/bad/runs.parquet
      useradd --groups sightline-drops tracker
      cp -r ${at}/2026-11-16.ingested.* drop; chmod -R go+rX drop
      runuser -u tracker -- sh -euc 'umask 027; cp -r drop ${at}/good'
      mv ${at}/bad ${at}/2026-11-17; runuser -u tracker -- mv ${at}/good ${at}/2026-11-18`);
    await untilTrue(`ls -d ${at}/2026-11-18.ingested.*`);
    await untilTrue('test "$(tail -n 1 /var/log/failed)" = sightline-ingest');
    expect(await reported()).toBe('sightline-ingest\n');
    // `.ingested` is the mark that starts the weekly job again.
    const drops = (await inFolder(at)).filter((name) => name !== '.ingested');
    const outcomes = drops.map((name) => name.split('.').slice(0, 2).join('.'));
    expect(outcomes).toEqual(['2026-11-16.ingested', '2026-11-17.failed', '2026-11-18.ingested']);
    expect(await machine.journal()).toContain('runs.parquet');
  });

  test('a backup can be put in the place of the records, and the newest 30 are kept', async () => {
    const { follow, printed, untilReady } = machine;
    await follow(`for day in $(seq 10 44); do touch ${state}/backups/records-202601$day'T030000Z.db'; done`);
    await follow('systemctl start sightline-backup');
    const kept = await machine.inFolder(`${state}/backups`);
    expect(kept).toHaveLength(30);
    expect(kept[0]).toBe('records-20260116T030000Z.db');
    const restore = markedBlock('docs/procedures.md', 'machine: records restored');
    await follow(`backup=${kept.at(-1)}; ${restore}`);
    await untilReady();
    expect(JSON.parse(await printed('sightline records workspace list --json'))).toMatchObject([
      { activeKeys: 2 },
    ]);
  });

  test('before BACKUP_URL is set, the copy is skipped and leaves no metrics; it fails if one of its disks is not mounted', async () => {
    const { sh, follow, journal } = machine;
    await machine.untilIdle();
    const metrics = `${state}/metrics/sightline-copy-unit.prom`;
    await follow(`touch ${metrics}; systemctl start sightline-copy`);
    expect((await sh(`test -e ${metrics}`)).status).toBe(1);
    const copies = `${state}/copies`;
    const fails = '! systemctl start sightline-copy';
    // What is mounted over the store and the lake is empty.
    await follow(`echo BACKUP_URL=${copies} >> /etc/sightline/job.env; ${fails}
      mount -t tmpfs -o mode=0700 tmpfs ${copies}; chown sightline: ${copies}
      for part in store lake; do mount -t tmpfs tmpfs ${state}/$part; ${fails}; umount ${state}/$part; done
      sed -i /^BACKUP_URL/d /etc/sightline/job.env`);
    expect(await journal()).toMatch(/copies is on the same disk as .*\/store, and would be lost with it/);
    expect(await journal()).toMatch(/store has no log\/checkpoint, but something was published/);
    expect(await journal()).toMatch(/there is no lake at .*\/lake \(no lake.txt\)/);
    expect(await machine.inFolder(copies)).toEqual([]);
  });

  test('everything but secrets is copied, then old drops are removed, also those of other users; the doctor finds nothing wrong', async () => {
    const { sh, follow, printed, inFolder } = machine;
    const copies = `${state}/copies`;
    const old = `${state}/incoming/2026-01-05.ingested.20260105T060000Z`;
    await follow(`rm -r ${state}/incoming/2026-11-17.failed.*
      runuser -u tracker -- sh -euc 'umask 027; cp -r drop ${old}'`);
    const { stdout } = await follow(block('copy'));
    expect(stdout).toContain('\n0 failed, 0 warnings');
    expect(stdout).not.toContain('npm run');
    expect(await printed(block('look'))).toMatch(/sightline-weekly\.timer[^]* current\n[^]*\n0 failed/);
    for (const part of ['store', 'lake']) await follow(`diff -r -x '.*' ${state}/${part} ${copies}/${part}`);
    await follow(`diff -r ${state}/backups ${copies}/records`);
    for (const name of ['sightline.env', 'public.pem'])
      await follow(`cmp /etc/sightline/${name} ${copies}/settings/${name}`);
    expect((await inFolder(`${state}/incoming`)).filter((name) => name.startsWith('2026-01-05'))).toEqual([]);
    const secrets = await sh(`grep -rlE 'PRIVATE KEY|^SIGNING_KEY|^RECORDS_URL' ${copies}`);
    expect(secrets).toMatchObject({ status: 1, stdout: '' });
  });
}

function testRights(machine: Machine): void {
  test('the user of the gateway can read the store, but not write it, and not read the signing key', async () => {
    const { sh } = machine;
    const gateway = async (script: string) => await sh(`runuser -u sightline-gateway -- sh -c '${script}'`);
    expect(await gateway(`find ${store} ! -readable`)).toMatchObject({ status: 0, stdout: '' });
    expect((await gateway(`find ${store} -writable`)).stdout).toBe('');
    const secrets = [`${state}/keys/sightline.private.pem`, '/etc/sightline/job.env', `${state}/lake`];
    for (const path of secrets) {
      expect((await gateway(`ls ${path} && cat ${path}`)).stderr).toContain('Permission denied');
      expect((await sh(`runuser -u sightline -- ls ${path}`)).status).toBe(0);
    }
    const records = await sh(`runuser -u sightline -- cat ${state}/records/records.db`);
    expect(records.stderr).toContain('Permission');
    // Its process cannot, even if the permissions of the files allow it.
    const inside = `nsenter --target ${await gatewayPid(machine)} --mount -- `;
    expect((await sh(`${inside}touch ${store}/x`)).stderr).toContain('Read-only file system');
    expect((await sh(`${inside}find ${state}/keys ${state}/backups ${state}/lake -type f`)).stdout).toBe('');
  });

  test('no user can change the code, and the user who delivers drops can read only public settings', async () => {
    const { sh, printed } = machine;
    for (const user of ['sightline', 'sightline-gateway']) {
      const writable = `runuser -u ${user} -- find /opt/sightline /etc/sightline -writable ! -type l`;
      expect(await sh(writable)).toMatchObject({ status: 0, stdout: '' });
    }
    const cache = '/opt/sightline/current/node_modules/.cache/';
    expect(await printed(`runuser -u sightline-gateway -- find ${cache} ! -readable`)).toBe('');
    // The old records were moved away by the page on backups; what is in them keeps its rights (0600).
    const paths = `${state}/* /etc/sightline/* ${state}/records-lost/*`;
    const readable = await sh(`runuser -u tracker -- find ${paths} -maxdepth 0 -readable`);
    const own = `${state}/incoming ${state}/records-lost /etc/sightline/public.pem /etc/sightline/sightline.env`;
    expect(readable.stdout).toBe(`${own.replaceAll(' ', '\n')}\n`);
  });
}

const isIn = (substate: string, unit: string) =>
  `test "$(systemctl show -P SubState sightline-${unit})" = ${substate}`;

function testFailingUnits(machine: Machine): void {
  test('a gateway that dies is restarted; a stopped one exits with status 0', async () => {
    const { follow, printed, untilTrue, untilReady } = machine;
    const quick = '[Unit]\\nStartLimitBurst=2\\n[Service]\\nRestartSec=100ms\\n';
    for (const unit of ['gateway', 'weekly']) {
      const at = `/run/systemd/system/sightline-${unit}.service.d`;
      await follow(`mkdir -p ${at}; printf '${quick}' > ${at}/quick.conf`);
    }
    await follow(`systemctl daemon-reload; kill -KILL ${await gatewayPid(machine)}`);
    await untilTrue('test "$(systemctl show -P NRestarts sightline-gateway)" = 1');
    await untilReady();
    await follow('systemctl stop sightline-gateway');
    const ended = await printed('systemctl show -P Result -P ExecMainStatus sightline-gateway');
    expect(ended).toBe('success\n0');
  });

  test('a unit that keeps failing is given up and reported: gateway, weekly job, verification', async () => {
    const { sh, follow, printed, reported, untilReady, failures } = machine;
    await reported();
    const settings = '/etc/sightline/sightline.env';
    await follow(`systemctl reset-failed; cp ${settings} settings; echo LOG_LEVEL=nonsense >> ${settings}`);
    await sh('systemctl restart --no-block sightline-gateway sightline-weekly sightline-verify');
    let seen = '';
    const units = ['gateway', 'verify', 'weekly'].map((name) => `sightline-${name}\n`);
    const areReported = async () => {
      seen += await reported();
      return units.every((unit) => seen.includes(unit));
    };
    await until(areReported, 'all units are reported', { everyMs: 250 });
    const failed = 'systemctl is-failed sightline-gateway sightline-weekly sightline-verify';
    expect(await printed(failed)).toBe('failed\nfailed\nfailed');
    const metrics = await printed(`cat ${state}/metrics/sightline-weekly-unit.prom`);
    expect(metrics).toMatch(
      /run_success\{.*\} 0\n[^]*^sightline_unit_last_success_timestamp_seconds\{.*\} \d+$/m,
    );
    await follow(`cp settings ${settings}`);
    expect((await failures()).map(({ subject }) => subject)).toContain('units');
    await follow(`rm -r /run/systemd/system/sightline-*
      systemctl daemon-reload; systemctl reset-failed; systemctl start sightline-gateway`);
    await untilReady();
  });

  test('a drop that comes while a setting is wrong stays; later it is ingested, and published at once, although the failed week waits for its next attempt', async () => {
    const { follow, printed, untilTrue } = machine;
    const [settings, incoming] = ['/etc/sightline/job.env', `${state}/incoming`];
    await follow(`cp ${settings} settings; echo LAKE_URL=s3://sl/lake >> ${settings}
      systemctl restart --no-block sightline-weekly`);
    await untilTrue(isIn('auto-restart', 'weekly'));
    await follow(`cp -r drop ${incoming}/good; mv ${incoming}/good ${incoming}/2026-11-19`);
    await untilTrue(isIn('auto-restart', 'ingest'));
    await follow(
      `test -d ${incoming}/2026-11-19; cp settings ${settings}; systemctl restart sightline-ingest`,
    );
    await untilTrue(isIn('dead', 'weekly'));
    expect(await printed('systemctl show -P Result sightline-weekly')).toBe('success');
  });
}
