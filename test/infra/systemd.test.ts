import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseRecordsLocation } from '../../lib/config.ts';
import { pageText, root } from '../docs/pages.ts';
import { environmentFile, textAt, wrongSettings } from './installed.ts';
import { ofUsers, services, units, valuesOf } from './units.ts';

const exec = promisify(execFile);
const oneshots = services.filter((name) => name !== 'sightline-gateway.service');
const [shared, ofGateway, ofJobs] = ['sightline', 'gateway', 'job'].map((name) =>
  environmentFile(`infra/systemd/${name}.env`),
) as [Record<string, string>, Record<string, string>, Record<string, string>];
const settings = { ...shared, ...ofGateway, ...ofJobs };
/** The folders below /var/lib/sightline of each user. */
const [, folders] = /\nmake_folders\(\) \{\n(.*?)\n\}/s.exec(textAt('infra/install'))!;
const foldersOf = (user: string) =>
  folders!
    .split('\n')
    .filter((line) => line.includes(` -o ${user} `))
    .flatMap((line) => [...line.matchAll(/"\$state\/(\w+)"/g)].map(([, name]) => name!));

describe('the units', () => {
  test('link an installed page of the documentation', () => {
    for (const name of units)
      expect(valuesOf(name, 'Documentation')[0]).toMatch(
        /^file:\/\/\/opt\/sightline\/current\/docs\/(?:first-monday|auditing|runbook)\.md$/,
      );
  });

  test.each(ofUsers)('%s writes only to folders of its user, and to the one for metrics', (name) => {
    const [user] = valuesOf(name, 'User');
    expect(['sightline', 'sightline-gateway']).toContain(user);
    const written = valuesOf(name, 'ReadWritePaths').flatMap((line) => line.split(' '));
    expect(written.length).toBeGreaterThan(0);
    const own = [...foldersOf(user!), 'metrics'].map((folder) => `/var/lib/sightline/${folder}`);
    const allowed = new Set(own);
    expect(written.filter((path) => !allowed.has(path))).toEqual([]);
  });

  test('only the gateway and the backup run as the user that clients reach', () => {
    const ofClients = services.filter((name) => valuesOf(name, 'User')[0] === 'sightline-gateway');
    expect(ofClients).toEqual(['sightline-backup.service', 'sightline-gateway.service']);
    expect(foldersOf('sightline-gateway').toSorted()).toEqual(['backups', 'records']);
  });

  test('report their failure', () => {
    const reporting = [...services, 'sightline-ingest.path', 'sightline-late.path'];
    for (const name of reporting) expect(valuesOf(name, 'OnFailure')).toEqual(['sightline-alert@%N.service']);
    for (const name of services.filter((service) => valuesOf(service, 'Restart').length > 0)) {
      // Without a start limit, a unit that is restarted never counts as failed.
      const [burst, seconds] = [
        valuesOf(name, 'StartLimitBurst')[0],
        secondsIn(valuesOf(name, 'StartLimitIntervalSec')[0]!),
      ];
      expect(Number(burst) * secondsIn(valuesOf(name, 'RestartSec')[0]!)).toBeLessThan(seconds);
    }
  });

  test.each(oneshots)('%s writes a metrics file', (name) => {
    const [command] = valuesOf(name, 'ExecStopPost');
    expect(command).toBe('/opt/sightline/current/infra/write-unit-metrics %N');
  });

  test('the settings are those of the programs, and stay in folders that the services may write', () => {
    for (const ofOne of [
      { ...shared, ...ofGateway },
      { ...shared, ...ofJobs },
    ])
      expect(wrongSettings(ofOne)).toEqual([]);
    const records = parseRecordsLocation(settings['RECORDS_URL']!) as { path: string };
    const state = '/var/lib/sightline';
    expect(foldersOf('sightline').map((folder) => `${state}/${folder}`)).toEqual(
      expect.arrayContaining([settings['STORE_URL'], settings['LAKE_URL']]),
    );
    expect(dirname(records.path)).toBe(`${state}/records`);
  });

  test('files that all users can read contain no secret, and each user can read only its own secrets', () => {
    expect(Object.keys(shared)).toEqual(['STORE_URL', 'PUBLIC_KEY_FILE']);
    expect(Object.keys(ofGateway)).toContain('RECORDS_URL');
    expect(Object.keys(ofJobs)).toEqual(['LAKE_URL', 'SIGNING_KEY_FILE']);
  });

  test('the gateway gets more time to stop than its own settings need', () => {
    const [seconds] = valuesOf('sightline-gateway.service', 'TimeoutStopSec');
    expect(Number(seconds)).toBeGreaterThan(
      Number(settings['SHUTDOWN_SECONDS'] ?? 10) + Number(settings['DRAIN_SECONDS'] ?? 3),
    );
  });

  test('an ingest makes a file, and the unit that removes it starts the weekly job again', () => {
    const [marker] = valuesOf('sightline-late.path', 'PathExists');
    const [, name] = /^ {2}: >"\$1\/(\S+)"$/m.exec(textAt('infra/systemd/ingest-incoming'))!;
    expect(marker).toBe(`/var/lib/sightline/incoming/${name}`);
    expect(valuesOf('sightline-late.service', 'ExecStartPre')).toEqual([`/bin/rm -f ${marker}`]);
    // A start would wait for the next attempt of a run that failed, up to 15 minutes.
    expect(valuesOf('sightline-late.service', 'ExecStart').at(-1)).toMatch(
      / restart --no-block sightline-weekly\.service$/,
    );
  });

  test('no page starts a unit that may wait for its next attempt: restart begins at once', () => {
    const waiting = services
      .filter((name) => valuesOf(name, 'Restart').length > 0)
      .map((name) => name.replace('.service', ''));
    expect(waiting).toContain('sightline-weekly');
    const pages = ['first-monday', 'operations', 'procedures', 'runbook'].map((name) =>
      pageText(`docs/${name}.md`),
    );
    const started = pages.flatMap((text) =>
      [...text.matchAll(/systemctl start ([^`\n]*)/g)].map(([, list]) => list!),
    );
    expect(started.length).toBeGreaterThan(1);
    expect(
      started.filter(
        (list) => list === 'UNIT' || waiting.some((unit) => list.split(/[\s;]+/).includes(unit)),
      ),
    ).toEqual([]);
  });

  test('docs/first-monday.md names each enabled unit', () => {
    const page = pageText('docs/first-monday.md');
    const [, enabled] = /^enabled='(.*)'$/m.exec(textAt('infra/install'))!;
    expect(enabled!.split(' ').filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

test('the as-of time of the weekly job is the time of its timer', () => {
  const [command] = valuesOf('sightline-weekly.service', 'ExecStart');
  expect(command).toMatch(/ job weekly --due '0 6 \* \* 1' --metrics-file \S+ --require-complete 90$/);
  expect(valuesOf('sightline-weekly.timer', 'OnCalendar')).toEqual(['Mon *-*-* 06:00:00 UTC']);
});

test('every installation holds back the same weeks', () => {
  const files = ['systemd/sightline-weekly.service', 'compose.yaml', 'kubernetes/base/weekly.yaml'];
  const words = files.map((file) => textAt(`infra/${file}`).replaceAll(/[\s,'-]+/g, ' '));
  for (const text of words) expect(text).toMatch(/ require complete 90 /);
});

/** Parses systemd's time spans, in the formats that our units use. */
function secondsIn(text: string): number {
  const [, count, unit] = /^(\d+)(h|min|)$/.exec(text)!;
  return Number(count) * { h: 3600, min: 60, '': 1 }[unit as 'h' | 'min' | ''];
}

const install = async (...args: string[]) =>
  await exec(join(root, 'infra/install'), args).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ ...error, status: error.code }),
  );

describe('infra/install', () => {
  test('prints its usage, and refuses unknown arguments with status 2', async () => {
    expect(await install('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(await install('--purge')).toMatchObject({ status: 2, stdout: '' });
  });

  test('a dry run names every command, and none of them reaches the internet or removes data', async () => {
    const { status, stderr } = await install('--dry-run');
    const commands = stderr.trim().split('\n');
    expect(status).toBe(0);
    expect(commands.filter((line) => !line.startsWith('+ '))).toEqual([]);
    expect(
      commands.filter((line) => /\b(?:curl|wget|npm|apt|git)\b/.test(line.replaceAll(root, ''))),
    ).toEqual([]);
    const removed = commands
      .filter((line) => / rm /.test(line))
      .map((line) => line.replace(/^\+ rm -rf /, ''));
    expect(removed.length).toBeGreaterThan(0);
    expect(removed.filter((path) => !path.startsWith('/opt/sightline/releases/'))).toEqual([]);
  });
});
