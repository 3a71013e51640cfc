import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectionLimits } from '../../../gateway/http/connections.ts';
import { rejectsKey } from '../../../jobs/lake/layout.ts';
import { readConfig } from '../../../lib/config.ts';
import {
  documentPath,
  leaseKey,
  headKey,
  inputsKey,
  manifestKey,
  pointerKey,
  receiptKey,
  tombstoneKey,
} from '../../../snapshots/layout.ts';
import { commands, keys, ports } from '../project.ts';
import { containers, deployed, environmentOf, resources } from './deployed.ts';
import { allows } from './iam.ts';

const project = join(import.meta.dirname, '../../..');
const { template } = deployed({ weekly: { shards: 3 } });

const storage = template('storage');
const create = { action: 's3:PutObject', header: 's3:if-none-match' as const };

interface JobProperties {
  Command: string[];
  Environment: { Name: string; Value: unknown }[];
}

const [definition] = Object.values(resources(template('weekly'), 'AWS::Batch::JobDefinition'));
const job = definition!.Properties['ContainerProperties'] as JobProperties;

async function run(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd: project });
  return stdout;
}

describe('every setting is one of the project', () => {
  /** Of the AWS SDK, of the driver of PostgreSQL, and of Node. */
  const others = new Set(['AWS_REGION', 'PGPASSWORD', 'NODE_EXTRA_CA_CERTS']);
  const store = { kind: 's3', bucket: expect.stringMatching(/^store/) as string, prefix: '' };
  const lake = { kind: 's3', bucket: expect.stringMatching(/^lake/) as string, prefix: '' };
  const records = { kind: 'postgres' };

  test.each([
    ['gateway', containers(template('gateway'))['Sightline']!, { STORE_URL: store, RECORDS_URL: records }],
    [
      'operator',
      containers(template('operator'))['Sightline']!,
      { STORE_URL: store, LAKE_URL: lake, RECORDS_URL: records },
    ],
    ['weekly', job, { STORE_URL: store, LAKE_URL: lake }],
  ])('of the %s, and parses', (_name, container, locations) => {
    const given = Object.entries(environmentOf(container));
    const config = readConfig(Object.fromEntries(given.map(([name, value]) => [name, filledIn(value)])));
    expect(given.filter(([name]) => !(name in config) && !others.has(name))).toEqual([]);
    expect(config).toMatchObject(locations);
  });

  test('the gateway listens where the load balancer asks', () => {
    const config = readConfig({
      ...environmentOf(containers(template('gateway'))['Sightline']!),
      STORE_URL: '',
      RECORDS_URL: '',
    });
    expect([config.PORT, config.METRICS_PORT]).toEqual([ports.clients, ports.operators]);
    expect([config.HOST, config.METRICS_HOST]).toEqual(['0.0.0.0', '0.0.0.0']);
  });
});

/** With names that stand for what CloudFormation puts in. */
function filledIn(text: string): string {
  return text
    .replaceAll(/<\w*EndpointAddress\w*>/g, 'db.example.com')
    .replaceAll(/<\w*EndpointPort\w*>/g, '5432')
    .replaceAll(/<(\w+)>/g, (_whole, name: string) => name.toLowerCase());
}

/** What a command of the image says of itself. */
async function help(command: readonly string[]): Promise<string> {
  return await run('sh', 'infra/sightline', ...command, '--help');
}

describe('every command is one of the image', () => {
  test('gateway', async () => {
    expect(containers(template('gateway'))['Sightline']!.Command).toEqual(commands.gateway);
    expect(await help(commands.gateway)).toContain('Usage');
  });

  test('the weekly job, with its options', async () => {
    expect(job.Command).toEqual([...commands.weekly, '--shards', '3']);
    const usage = await help(job.Command.filter((word) => !word.startsWith('-')).slice(0, 2));
    for (const option of job.Command.filter((word) => word.startsWith('--')))
      expect(usage).toContain(`${option} <`);
    expect(usage).toContain('AWS_BATCH_JOB_ARRAY_INDEX');
  });
});

/** Those of the objects, and the probe, that a policy does not let its holder create. */
function forbidden(policy: string, bucket: string, objects: string[]): string[] {
  return [...objects, keys.probe].filter((key) => !allows(storage, policy, create, `${bucket}/${key}`));
}

async function runJob(...args: string[]): Promise<void> {
  await run('node', 'jobs/cli.ts', ...args);
}

describe('permissions are for the keys that the project writes', () => {
  const [workspace, snapshot] = [
    '6dc5cc01-e5c0-4398-a442-a3d03067609d',
    '20261116T060000.000Z-0123456789abcdef',
  ];

  test.each([
    pointerKey(workspace),
    manifestKey(workspace, snapshot),
    receiptKey(workspace, snapshot),
    `${manifestKey(workspace, snapshot).replace('manifest.json', '')}${documentPath(workspace, 'stability')}`,
  ])('the weekly job may create %s, and the gateway read it', (key) => {
    expect(allows(storage, 'WeeklyAccess', create, `Store/${key}`)).toBe(true);
    expect(allows(storage, 'GatewayAccess', { action: 's3:GetObject' }, `Store/${key}`)).toBe(true);
  });

  test('the operator may leave the tombstones of `audit prune`', () => {
    expect(allows(storage, 'OperatorAccess', create, `Store/${tombstoneKey(workspace, snapshot)}`)).toBe(
      true,
    );
  });

  test('the weekly job may name the inputs, and remember in the lake what it published', () => {
    expect(allows(storage, 'WeeklyAccess', create, `Store/${inputsKey('0'.repeat(64))}`)).toBe(true);
    expect(allows(storage, 'WeeklyAccess', create, `Lake/${headKey(workspace)}`)).toBe(true);
  });

  test('ingest may keep what it refuses', () => {
    expect(allows(storage, 'IngestAccess', create, `Lake/${rejectsKey('0'.repeat(64))}`)).toBe(true);
  });

  test('nobody may hold the lease of `job schedule`: AWS has a schedule of its own', () => {
    for (const policy of ['WeeklyAccess', 'OperatorAccess', 'GatewayAccess'])
      expect(allows(storage, policy, create, `Store/${leaseKey('all')}`)).toBe(false);
  });

  test('ingest and the weekly job may create all that they do create', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sightline-aws-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const at = (name: string) => join(folder, name);
    const asOf = ['--as-of', '2026-11-16T06:00:00Z'];
    await runJob(
      'demo',
      '--to',
      at('drop'),
      '--workspaces',
      '1',
      '--brands',
      '1',
      '--prompts',
      '2',
      '--cycles',
      '5',
      ...asOf,
    );
    await runJob('ingest', '--from', at('drop'), '--lake', at('lake'), '--date', '2026-11-16');
    const delivered = await keysIn(at('lake'));
    await runJob('weekly', '--lake', at('lake'), '--store', at('store'), ...asOf);
    const kept = (await keysIn(at('lake'))).filter((key) => !delivered.includes(key));
    const published = await keysIn(at('store'));
    expect([delivered, kept, published].map(({ length }) => length > 0)).toEqual([true, true, true]);
    expect(forbidden('IngestAccess', 'Lake', delivered)).toEqual([]);
    expect(forbidden('WeeklyAccess', 'Lake', kept)).toEqual([]);
    expect(forbidden('WeeklyAccess', 'Store', published)).toEqual([]);
    expect(forbidden('IngestAccess', 'Store', published)).toEqual([...published, keys.probe]);
  });
});

test('the gateway keeps idle connections longer than the load balancer does', () => {
  const [balancer] = Object.values(
    resources(template('gateway'), 'AWS::ElasticLoadBalancingV2::LoadBalancer'),
  );
  const attributes = balancer!.Properties['LoadBalancerAttributes'] as { Key: string; Value: string }[];
  const idle = attributes.find(({ Key }) => Key === 'idle_timeout.timeout_seconds')!.Value;
  expect(Number(idle) * 1000).toBeLessThan(connectionLimits.keepAliveTimeout);
});

test('a gateway that is told to stop has the time that it takes', () => {
  const { Sightline } = containers(template('gateway'));
  const { DRAIN_SECONDS, SHUTDOWN_SECONDS } = environmentOf(Sightline!);
  expect((Sightline as unknown as { StopTimeout: number }).StopTimeout).toBeGreaterThan(
    Number(DRAIN_SECONDS) + Number(SHUTDOWN_SECONDS),
  );
});

/** The objects of a lake or store in a folder, by key. */
async function keysIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((key) => !key.split('/').some((part) => part.startsWith('.')));
}
