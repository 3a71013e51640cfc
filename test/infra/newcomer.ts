import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { markedBlock } from '../docs/pages.ts';
import { until } from '../support/until.ts';
import { block, state } from './machine.ts';
import type { Machine } from './machine.ts';

const store = `${state}/store`;
const failedUnits = 'systemctl --failed --no-legend';
const ready = 'http://127.0.0.1:9464/readyz';

/** The steps of docs/first-monday.md, line by line. */
export function describeFirstMonday(machine: Machine): void {
  describe('docs/first-monday.md, followed to the letter', () => {
    testFirstWeek(machine);
    testDrops(machine);
    testRights(machine);
    testFailingUnits(machine);
    testReleases(machine);
  });
}

function testFirstWeek(machine: Machine): void {
  test('the gateway runs, waits for the first week, and responds 401 without a key', async () => {
    const { sh, printed, untilTrue } = machine;
    await untilTrue('curl --silent --fail http://127.0.0.1:9464/healthz');
    expect((await sh(`curl --silent --fail ${ready}`)).status).not.toBe(0);
    const status = "curl --silent --output /dev/null --write-out '%{http_code}'";
    expect(await printed(`${status} http://127.0.0.1:8080/api/v1/brands`)).toBe('401');
    expect(await printed(failedUnits)).toBe('');
  });

  test('before the first week there is nothing to verify, which is not a failure', async () => {
    await machine.follow('systemctl start sightline-verify');
    expect(await machine.inFolder(`${state}/metrics`)).toEqual([]);
    expect(await machine.printed(failedUnits)).toBe('');
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
    const verified = JSON.parse(await printed('sightline audit verify --json')) as { checked: object };
    expect(verified.checked).toMatchObject({ snapshots: 1, logEntries: 2 });
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

function testDrops(machine: Machine): void {
  test('a new drop is ingested automatically; an unreadable one is set aside and reported, and the next one is ingested', async () => {
    const { follow, reported, untilTrue, inFolder } = machine;
    await reported();
    const at = `${state}/incoming`;
    await follow(`mkdir ${at}/bad; echo nonsense > ${at}/bad/runs.parquet; mv ${at}/bad ${at}/2026-11-17`);
    await untilTrue(`ls -d ${at}/2026-11-17.failed.*`);
    await untilTrue('test "$(tail -n 1 /var/log/failed)" = sightline-ingest');
    expect(await reported()).toBe('sightline-ingest\n');
    await follow('useradd --groups sightline-drops tracker');
    await follow(
      'sightline job demo --to /var/tmp/drop --workspaces 1 --brands 3 --prompts 8; chmod -R go+rX /var/tmp/drop',
    );
    const deliver = `umask 027; cp -r /var/tmp/drop ${at}/good; mv ${at}/good ${at}/2026-11-18`;
    await follow(`runuser -u tracker -- sh -euc '${deliver}'`);
    await untilTrue(`ls -d ${at}/2026-11-18.ingested.*`);
    // `.ingested` is the mark that starts the weekly job again.
    const drops = (await inFolder(at)).filter((name) => name !== '.ingested');
    const outcomes = drops.map((name) => name.split('.').slice(0, 2).join('.'));
    expect(outcomes).toEqual(['2026-11-16.ingested', '2026-11-17.failed', '2026-11-18.ingested']);
    expect(await machine.journal()).toContain('runs.parquet');
  });

  test('the timers are active; a backup can be put in the place of the records; the newest 30 are kept', async () => {
    const { follow, printed, untilReady } = machine;
    const timers = await printed('systemctl list-timers --no-legend --no-pager');
    for (const name of ['weekly', 'backup', 'copy', 'verify', 'doctor'])
      expect(timers).toContain(`sightline-${name}.timer`);
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

  test('before BACKUP_URL is set, the copy is skipped and leaves no metrics; afterwards the doctor finds nothing wrong', async () => {
    const { follow, printed } = machine;
    const metrics = `${state}/metrics/sightline-copy-unit.prom`;
    await follow(`systemctl start sightline-copy; test ! -e ${metrics}`);
    await follow(`mount -t tmpfs -o mode=0700 tmpfs ${state}/copies; chown sightline: ${state}/copies`);
    const { stdout } = await follow(block('copy'));
    expect(stdout).toContain('\n0 failed');
    expect(await printed(block('look'))).toMatch(/sightline-weekly\.timer[^]* current\n[^]*\n0 failed/);
    expect(stdout).not.toContain('npm run');
    expect(await printed(`cat ${metrics}`)).toMatch(/success\{unit="sightline-copy"\} 1$/m);
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

function testFailingUnits(machine: Machine): void {
  test('a gateway that dies is restarted; a stopped one exits with status 0', async () => {
    const { follow, printed, untilTrue, untilReady } = machine;
    await follow(`kill -KILL ${await gatewayPid(machine)}`);
    await untilTrue('test "$(systemctl show -P NRestarts sightline-gateway)" = 1');
    await untilReady();
    await follow('systemctl stop sightline-gateway');
    const ended = await printed('systemctl show -P Result -P ExecMainStatus sightline-gateway');
    expect(ended).toBe('success\n0');
    await follow('systemctl start sightline-gateway');
  });

  test('a unit that keeps failing is given up and reported: gateway, weekly job, verification', async () => {
    const { sh, follow, printed, reported, untilReady } = machine;
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
    const areReported = async () => {
      seen += await reported();
      return units.every((unit) => seen.includes(unit));
    };
    await until(areReported, 'all units are reported', { everyMs: 100 });
    const failed = 'systemctl is-failed sightline-gateway sightline-weekly sightline-verify';
    expect(await printed(failed)).toBe('failed\nfailed\nfailed');
    expect(await printed(`cat ${state}/metrics/sightline-weekly-unit.prom`)).toMatch(/success\{.*\} 0$/m);
    await follow(`cp /srv/settings ${settings}; rm -r /run/systemd/system/sightline-*
      systemctl daemon-reload; systemctl reset-failed
      systemctl start sightline-gateway sightline-weekly sightline-verify`);
    await untilReady();
  });
}

function testReleases(machine: Machine): void {
  const releaseOf = async (pid: string) =>
    /^\/opt\/sightline\/releases\/[^/]+/.exec(await machine.printed(`readlink /proc/${pid}/exe`))?.[0];

  test('installed again while the gateway runs: it keeps its data, and its release until it is restarted', async () => {
    const { follow, printed, untilReady } = machine;
    const [pid, present] = [await gatewayPid(machine), await printed('readlink /opt/sightline/current')];
    await follow(`echo STORE_REFRESH_SECONDS=1 >> /etc/sightline/sightline.env
      cp sightline-0.1.0/LICENSE sightline-0.1.0/lib/new-file.ts`);
    const look = `sightline records workspace list --json; find ${store} -type f | sort`;
    const before = await printed(look);
    const code = `cd ${present}; find . -type f ! -path '*/.cache/*' | sort | xargs sha256sum | sha256sum`;
    const sum = await printed(code);
    // After the second one the release of the gateway is neither the current nor the previous one.
    for (const time of [1, 2]) {
      await follow('sightline-0.1.0/infra/install --no-start');
      expect({ time, release: await releaseOf(pid) }).toEqual({ time, release: present });
    }
    expect(await printed(code)).toBe(sum);
    await follow('curl --fail --silent http://127.0.0.1:8080/docs');
    await follow(`tar --create --file sightline-0.2.0-linux-x64.tar.gz --transform 's/^sightline-0.1.0/sightline-0.2.0/' sightline-0.1.0
      ${block('upgrade')}`);
    await untilReady();
    expect(await releaseOf(await gatewayPid(machine))).toBe(await printed('readlink /opt/sightline/current'));
    await follow(`test -e /opt/sightline/current/lib/new-file.ts
      grep STORE_REFRESH_SECONDS=1 /etc/sightline/sightline.env`);
    expect(await printed(look)).toBe(before);
  });

  test('the previous release can be restored, and then the later one', async () => {
    const { follow, printed, untilReady, inFolder } = machine;
    const now = await printed('readlink /opt/sightline/current');
    const before = await printed('readlink /opt/sightline/previous');
    for (const expected of [before, now]) {
      await follow(block('rollback'));
      await untilReady();
      expect(await releaseOf(await gatewayPid(machine))).toBe(expected);
    }
    const kept = [before, now].map((path) => path.split('/').at(-1));
    expect(await inFolder('/opt/sightline/releases')).toEqual(kept);
  });

  test('a dry run prints and changes nothing', async () => {
    const { follow, printed } = machine;
    await follow('touch /srv/mark');
    const dry = await follow(`sightline-0.2.0/infra/install --dry-run
      sightline-0.2.0/infra/install --dry-run --uninstall`);
    expect(dry.stderr).toMatch(/^\+ systemctl daemon-reload$/m);
    expect(await printed('find /opt /etc /usr/local -newer /srv/mark')).toBe('');
  });
}

const gatewayPid = async ({ printed }: Machine) =>
  await printed('systemctl show -P MainPID sightline-gateway');
