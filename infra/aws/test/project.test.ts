import type { KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { connectionLimits } from '../../../gateway/http/connections.ts';
import { readConfig } from '../../../lib/config.ts';
import { configuredTrust } from '../../../snapshots/signing.ts';
import { commands, ports } from '../project.ts';
import { OTHER_KEY, PUBLIC_KEY, containers, deployed, environmentOf, resources } from './deployed.ts';
import { run } from './program.ts';

const { template } = deployed({ weekly: { shards: 3 }, otherPublicKeysFile: 'other.public.pem' });

interface JobProperties {
  Command: string[];
  Environment: { Name: string; Value: unknown }[];
}

/** The properties of a job definition, found by the beginning of its name. */
function jobOf(stack: 'weekly' | 'audit', name: string): JobProperties {
  const [, definition] = Object.entries(resources(template(stack), 'AWS::Batch::JobDefinition')).find(
    ([id]) => id.startsWith(name),
  )!;
  return definition.Properties['ContainerProperties'] as JobProperties;
}
const job = jobOf('weekly', 'Week');

describe('every setting is a setting of the project', () => {
  /** Settings of the AWS SDK, of the driver of PostgreSQL, and of Node. */
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
    ['weekly job', job, { STORE_URL: store, LAKE_URL: lake }],
    ['log', jobOf('audit', 'Log'), { STORE_URL: store, LAKE_URL: lake, LOG_ORIGIN: 'api.example.com/log' }],
    ['verification', jobOf('audit', 'Verify'), { STORE_URL: store }],
  ])(
    '%s: it parses; gateways trust one public key, the others all configured ones',
    async (name, container, locations) => {
      const given = Object.entries(environmentOf(container));
      const config = readConfig(
        Object.fromEntries(given.map(([setting, value]) => [setting, filledIn(value)])),
      );
      expect(given.filter(([setting]) => !(setting in config) && !others.has(setting))).toEqual([]);
      expect(config).toMatchObject(locations);
      expect([...(await configuredTrust(config))!.values()].map(pemOf)).toEqual(
        name === 'gateway' ? [PUBLIC_KEY] : [PUBLIC_KEY, OTHER_KEY],
      );
    },
  );

  test('the gateway listens on the ports that the load balancer uses', () => {
    const config = readConfig({
      ...environmentOf(containers(template('gateway'))['Sightline']!),
      STORE_URL: '',
      RECORDS_URL: '',
    });
    expect([config.PORT, config.METRICS_PORT]).toEqual([ports.clients, ports.operators]);
    expect([config.HOST, config.METRICS_HOST]).toEqual(['0.0.0.0', '0.0.0.0']);
  });
});

/** Replaces CloudFormation's references by placeholder names. */
function filledIn(text: string): string {
  return text
    .replaceAll(/<\w*EndpointAddress\w*>/g, 'db.example.com')
    .replaceAll(/<\w*EndpointPort\w*>/g, '5432')
    .replaceAll(/<(\w+)>/g, (_whole, name: string) => name.toLowerCase());
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' });
}

/** The help text of a command of the image. */
async function help(command: readonly string[]): Promise<string> {
  return await run('sh', ['infra/sightline', ...command, '--help']);
}

describe('every command is a command of the image', () => {
  test('gateway', async () => {
    expect(containers(template('gateway'))['Sightline']!.Command).toEqual(commands.gateway);
    expect(await help(commands.gateway)).toContain('Usage');
  });

  test('the weekly job, with its options', async () => {
    expect(job.Command.slice(0, 2)).toEqual(commands.weekly);
    expect(job.Command.slice(-2)).toEqual(['--shards', '3']);
    const usage = await help(commands.weekly);
    for (const option of job.Command.filter((word) => word.startsWith('--')))
      expect(usage).toContain(`${option} <`);
    expect(usage).toContain('AWS_BATCH_JOB_ARRAY_INDEX');
  });

  test('the log', async () => {
    expect(jobOf('audit', 'Log').Command).toEqual(commands.log);
    expect(await help(commands.log)).toContain('SIGNING_KEY');
  });

  test('the verification, with its options', async () => {
    const words = jobOf('audit', 'Verify').Command;
    expect(words.slice(0, 2)).toEqual(commands.verify);
    const usage = await help(commands.verify);
    for (const option of words.slice(2).filter((word) => typeof word === 'string' && word.startsWith('--')))
      expect(usage).toContain(`${option} <`);
    expect(usage).toContain('today/N');
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

test('a stopping gateway gets the time that it needs', () => {
  const { Sightline } = containers(template('gateway'));
  const { DRAIN_SECONDS, SHUTDOWN_SECONDS } = environmentOf(Sightline!);
  expect((Sightline as unknown as { StopTimeout: number }).StopTimeout).toBeGreaterThan(
    Number(DRAIN_SECONDS) + Number(SHUTDOWN_SECONDS),
  );
});
