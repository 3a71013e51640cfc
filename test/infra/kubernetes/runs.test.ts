import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { generateKeyPair } from '../../../snapshots/signing.ts';
import { runProgram, startGatewayProcess } from '../../gateway/program.ts';
import { deliver } from '../../jobs/jobs.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { containersOf, podsOf, programOf, render, settingsOf } from './manifests.ts';

interface Started {
  file: string;
  args: string[];
  settings: Record<string, string>;
  /** Paths that its probes ask. */
  probes: string[];
}

/** Each container as the manifests start it, but with places of this machine. */
const started = new Map<string, Started>();

describeWith(['kubectl'], 'as the manifests start them', () => {
  beforeAll(async () => {
    const folder = await temporaryFolder((remove) => afterAll(remove));
    const [drop, lake] = [join(folder, 'drop'), join(folder, 'lake')];
    const size = { seed: 1, workspaces: 5, brands: 5, prompts: 3, cycles: 3 };
    await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-01-12T06:00:00Z')!, format: 'ndjson' });
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
    };
    await writeFile(here['SIGNING_KEY_FILE']!, privatePem);
    await writeFile(here['PUBLIC_KEY_FILE']!, publicPem);
    const manifests = await render('base');
    for (const container of podsOf(manifests).flatMap(({ spec }) => containersOf(spec))) {
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
      started.set(container.name, { ...programOf(container), settings, probes });
    }
  });

  test('the shards publish every workspace once, signed; they verify; the gateway is alive and ready', async () => {
    const weekly = started.get('weekly')!;
    const shards = Number(weekly.args[2]);
    const published: string[] = [];
    for (let index = 0; index < shards; index += 1) {
      const settings = { ...weekly.settings, JOB_COMPLETION_INDEX: String(index) };
      const { status, stdout, stderr } = await runProgram(weekly.file, weekly.args, settings);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const { snapshots } = JSON.parse(stdout) as WeeklyReport;
      published.push(...snapshots.map(({ workspaceId }) => workspaceId));
    }
    expect(published).toHaveLength(5);
    expect(new Set(published).size).toBe(5);

    const verify = started.get('verify')!;
    const verified = await runProgram(verify.file, [...verify.args, '--json'], verify.settings);
    expect(verified.status).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ checked: { workspaces: 5, signatures: 5 } });

    const { file, settings, probes } = started.get('gateway')!;
    expect(file).toBe('gateway/main.ts');
    const gateway = await startGatewayProcess(settings);
    onTestFinished(() => void gateway.child.kill('SIGKILL'));
    expect(probes).toHaveLength(3);
    for (const path of probes) expect((await fetch(`${gateway.operationsUrl}${path}`)).status).toBe(200);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toBe(0);
  });
});
