import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob';
import { beforeAll, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { generateKeyPair } from '../../../snapshots/signing.ts';
import { deliver } from '../../jobs/jobs.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { runProgram, startGatewayProcess } from '../../support/program.ts';
import { describeWith } from '../../support/requires.ts';
import { wrongSettings } from '../installed.ts';
import { containersOf, isOurs, named, podsOf, programOf, render, settingsOf } from './manifests.ts';

const newFolder = temporaryFolders();

interface Started {
  file: string;
  args: string[];
  settings: Record<string, string>;
  /** The paths of its probes. */
  probes: string[];
}

/** Each of our containers as the manifests start it, with these values for what is of the cluster. */
async function containersHere(folder: string, here: Readonly<Record<string, string>>) {
  const manifests = await render('base');
  const authorities = manifests.find(({ metadata }) => metadata.name.startsWith('sightline-ca-'))!;
  await writeFile(here['NODE_EXTRA_CA_CERTS']!, authorities.data!['ca.pem']!);
  const containers = podsOf(manifests).flatMap(({ spec }) => containersOf(spec).filter(isOurs));
  const started = containers.map((container): [string, Started] => {
    const settings: Record<string, string> = { ...settingsOf(manifests, container) };
    const inArguments = (name: string) => container.args!.includes(`$(${name})`);
    const read = Object.entries(settings).filter(([name]) => !inArguments(name));
    expect([container.name, wrongSettings(Object.fromEntries(read))]).toEqual([container.name, []]);
    for (const name of Object.keys(settings)) settings[name] = here[name] ?? settings[name]!;
    for (const { name, valueFrom } of container.env ?? [])
      if (valueFrom?.secretKeyRef !== undefined) settings[name] = `sqlite:${join(folder, 'records.db')}`;
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probes = [startupProbe, livenessProbe, readinessProbe].flatMap(
      (probe) => probe?.httpGet?.path ?? [],
    );
    return [container.name, { ...programOf(container, settings), settings, probes }];
  });
  const weekly = named(manifests, 'CronJob', 'sightline-weekly') as unknown as ICronJob;
  return { started: new Map(started), indexes: weekly.spec.jobTemplate.spec!.completions! };
}

describeWith(['kubectl'], 'as the manifests start them', () => {
  let started: Map<string, Started>;
  let indexes: number;

  beforeAll(async () => {
    const folder = await newFolder();
    const at = (name: string) => join(folder, name);
    const size = { seed: 1, workspaces: 5, brands: 5, prompts: 1, cycles: 2 };
    await makeDemo({ to: at('drop'), ...size, asOf: lastMonday() });
    await deliver(at('lake'), { folder: at('drop'), date: '2026-01-01' });
    const { privatePem, publicPem } = generateKeyPair();
    await writeFile(at('private.pem'), privatePem);
    await writeFile(at('public.pem'), publicPem);
    ({ started, indexes } = await containersHere(folder, {
      STORE_URL: at('store'),
      LAKE_URL: at('lake'),
      SIGNING_KEY_FILE: at('private.pem'),
      PUBLIC_KEY_FILE: at('public.pem'),
      HOST: '127.0.0.1',
      METRICS_HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      DRAIN_SECONDS: '0',
      NODE_EXTRA_CA_CERTS: at('ca.pem'),
      VERIFY_STATE: at('audit/checkpoint'),
    }));
  });

  const run = async (name: string, more: Record<string, string> = {}) => {
    const { file, args, settings } = started.get(name)!;
    return await runProgram(file, args, { ...settings, ...more });
  };

  test('the shards publish every workspace once; the store is intact, and the gateway is ready', async () => {
    const published: string[] = [];
    for (let index = 0; index < indexes; index += 1) {
      const shard = await run('weekly', { JOB_COMPLETION_INDEX: String(index) });
      expect(shard).toMatchObject({ status: 0, stderr: '' });
      const { snapshots } = JSON.parse(shard.stdout) as WeeklyReport;
      published.push(...snapshots.map(({ workspaceId }) => workspaceId));
    }
    expect([published.length, new Set(published).size]).toEqual([5, 5]);
    expect(await run('verify')).toMatchObject({ status: 0 });
    expect(await run('migrate')).toMatchObject({ status: 0 });

    const { settings, probes } = started.get('gateway')!;
    const gateway = await startGatewayProcess(settings);
    expect(probes).toHaveLength(3);
    for (const path of probes) expect((await fetch(`${gateway.operationsUrl}${path}`)).status).toBe(200);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });
});

/** The current as-of time of the weekly job: its schedule is in UTC. */
function lastMonday() {
  const week = 7 * 86_400_000;
  const aMonday = Date.parse('2026-01-05T06:00:00Z');
  const last = aMonday + Math.floor((Date.now() - aMonday) / week) * week;
  return parseInstant(new Date(last).toISOString())!;
}
