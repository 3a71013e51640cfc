import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { generateKeyPair } from '../../../snapshots/signing.ts';
import { runProgram, startGatewayProcess } from '../../support/program.ts';
import { deliver } from '../../jobs/jobs.ts';
import { filesBelow } from '../../jobs/lake.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { containersOf, isOurs, podsOf, programOf, render, settingsOf } from './manifests.ts';

const newFolder = temporaryFolders();

interface Started {
  file: string;
  args: string[];
  settings: Record<string, string>;
  /** The paths of its probes. */
  probes: string[];
}

/** Each container as the manifests start it, but with paths of this machine. */
const started = new Map<string, Started>();

/** The results of all shards, in their order. @param places where lake and store are others */
async function runWeek(places: Record<string, string> = {}) {
  const { file, args, settings } = started.get('weekly')!;
  const results: { status: number; stderr: string; report: WeeklyReport }[] = [];
  for (let index = 0; index < Number(args[2]); index += 1) {
    const shard = { ...settings, ...places, JOB_COMPLETION_INDEX: String(index) };
    const { status, stdout, stderr } = await runProgram(file, args, shard);
    results.push({ status: status!, stderr, report: JSON.parse(stdout) as WeeklyReport });
  }
  return results;
}

async function run(name: string) {
  const { file, args, settings } = started.get(name)!;
  const { status, stdout, stderr } = await runProgram(file, [...args, '--json'], settings);
  return { status, stderr, result: JSON.parse(stdout) as unknown };
}

describeWith(['kubectl'], 'as the manifests start them', () => {
  let drop: string;
  beforeAll(async () => {
    const folder = await newFolder();
    drop = join(folder, 'drop');
    const lake = join(folder, 'lake');
    const size = { seed: 1, workspaces: 5, brands: 5, prompts: 3, cycles: 3 };
    await makeDemo({ to: drop, ...size, asOf: lastMonday() });
    await deliver(lake, { folder: drop, date: '2026-01-01' });
    const { privatePem, publicPem } = generateKeyPair();
    const here: Record<string, string> = {
      STORE_URL: join(folder, 'store'),
      LAKE_URL: lake,
      SIGNING_KEY_FILE: join(folder, 'private.pem'),
      PUBLIC_KEY_FILE: join(folder, 'public.pem'),
      HOST: '127.0.0.1',
      METRICS_HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      DRAIN_SECONDS: '0',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      VERIFY_STATE: join(folder, 'audit/checkpoint'),
    };
    await writeFile(here['SIGNING_KEY_FILE']!, privatePem);
    await writeFile(here['PUBLIC_KEY_FILE']!, publicPem);
    const manifests = await render('base');
    const authorities = manifests.find(({ metadata }) => metadata.name.startsWith('sightline-ca-'))!;
    await writeFile(here['NODE_EXTRA_CA_CERTS']!, authorities.data!['ca.pem']!);
    for (const container of podsOf(manifests).flatMap(({ spec }) => containersOf(spec).filter(isOurs))) {
      const settings = Object.fromEntries(
        Object.entries(settingsOf(manifests, container)).map(([name, value]) => [name, here[name] ?? value]),
      );
      for (const { name, valueFrom } of container.env ?? []) {
        if (valueFrom?.secretKeyRef !== undefined) settings[name] = `sqlite:${join(folder, 'records.db')}`;
      }
      const { startupProbe, livenessProbe, readinessProbe } = container;
      const probes = [startupProbe, livenessProbe, readinessProbe].flatMap(
        (probe) => probe?.httpGet?.path ?? [],
      );
      started.set(container.name, { ...programOf(container, settings), settings, probes });
    }
  });

  test('the shards publish every workspace once, and verify; the gateway is ready', async () => {
    const week = await runWeek();
    expect(week.map(({ status, stderr }) => `${status}${stderr}`)).toEqual(['0', '0', '0', '0']);
    const published = week.flatMap(({ report }) => report.snapshots.map(({ workspaceId }) => workspaceId));
    expect(published).toHaveLength(5);
    expect(new Set(published).size).toBe(5);

    const checked = { workspaces: 5, snapshots: 5 };
    const first = await run('verify');
    expect(first).toMatchObject({ status: 0, result: { isIntact: true, checked } });
    expect(first.stderr).toContain('checkpoint is new');
    expect(await run('verify')).toMatchObject({ status: 0, stderr: '', result: { checked } });

    const { file, settings, probes } = started.get('gateway')!;
    expect(file).toBe('gateway/main.ts');
    const migrate = started.get('migrate')!;
    expect(await runProgram(migrate.file, migrate.args, migrate.settings)).toMatchObject({ status: 0 });
    const gateway = await startGatewayProcess(settings);
    onTestFinished(() => void gateway.child.kill('SIGKILL'));
    expect(probes).toHaveLength(3);
    for (const path of probes) expect((await fetch(`${gateway.operationsUrl}${path}`)).status).toBe(200);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });

  test('a workspace whose drop is late keeps its last week and makes only its shard fail, and the next run of the day publishes it', async () => {
    const folder = await temporaryFolder();
    const places = { LAKE_URL: join(folder, 'lake'), STORE_URL: join(folder, 'store') };
    const [early, late] = [join(folder, 'early'), join(folder, 'late')];
    await cp(drop, early, { recursive: true });
    await mkdir(late);
    const [brand] = (await readFile(join(drop, 'brands.ndjson'), 'utf8')).split('\n');
    const { id, workspace_id: workspaceId } = JSON.parse(brand!) as { id: string; workspace_id: string };
    const newest = (await readdir(drop))
      .filter((name) => name.startsWith('runs-'))
      .toSorted()
      .at(-1)!;
    const lines = (await readFile(join(drop, newest), 'utf8')).split(/(?<=\n)/);
    const isLate = (line: string) => line.includes(id);
    await writeFile(join(early, newest), lines.filter((line) => !isLate(line)).join(''));
    await writeFile(join(late, newest), lines.filter(isLate).join(''));

    await deliver(places.LAKE_URL, { folder: early, date: '2026-01-01' });
    const before = await runWeek(places);
    const heldBack = before.flatMap(({ report }) => report.unpublished);
    expect(heldBack).toMatchObject([{ workspaceId, reason: 'incomplete' }]);
    expect(before.filter(({ status }) => status !== 0)).toMatchObject([{ status: 1 }]);
    expect(before.flatMap(({ report }) => report.snapshots)).toHaveLength(4);
    await deliver(places.LAKE_URL, { folder: late, date: '2026-01-01' });
    const after = await runWeek(places);
    expect(after.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    const isNew = after.flatMap(({ report }) => report.snapshots.filter((one) => one.isNew));
    expect(isNew.map((one) => one.workspaceId)).toEqual([workspaceId]);
  });

  test('the nightly verification finds a damaged document, and is intact when it was put back', async () => {
    const store = started.get('weekly')!.settings['STORE_URL']!;
    const document = (await filesBelow(store)).find((file) => file.endsWith('brands.json'));
    const sound = await readFile(document!);
    await writeFile(document!, 'damaged');
    expect(await run('verify')).toMatchObject({ status: 1, result: { isIntact: false } });
    await writeFile(document!, sound);
    expect(await run('verify')).toMatchObject({ status: 0 });
  });
});

/** The current as-of time of the weekly job: its schedule is in UTC. */
function lastMonday() {
  const week = 7 * 86_400_000;
  const aMonday = Date.parse('2026-01-05T06:00:00Z');
  const last = aMonday + Math.floor((Date.now() - aMonday) / week) * week;
  return parseInstant(new Date(last).toISOString())!;
}
