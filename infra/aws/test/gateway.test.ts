import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { AUTHORITY, containers, deployed, example, expectResource, resources, textOf } from './deployed.ts';
import type { Name } from './deployed.ts';

const { template, stacks } = deployed();
const gateway = template('gateway');

describe('the load balancer', () => {
  const listeners = Object.values(resources(gateway, 'AWS::ElasticLoadBalancingV2::Listener'));
  const [balancer] = Object.values(resources(gateway, 'AWS::ElasticLoadBalancingV2::LoadBalancer'));
  const attributes = Object.fromEntries(
    (balancer!.Properties['LoadBalancerAttributes'] as { Key: string; Value: string }[]).map(
      ({ Key, Value }) => [Key, Value],
    ),
  );

  test('serves TLS 1.2 and 1.3 with the certificate of the deployment', () => {
    expect(listeners.find(({ Properties }) => Properties['Port'] === 443)!.Properties).toMatchObject({
      Protocol: 'HTTPS',
      SslPolicy: 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09',
      Certificates: [{ CertificateArn: expect.stringContaining(':certificate/') as string }],
      DefaultActions: [{ Type: 'forward' }],
    });
  });

  test('redirects HTTP to HTTPS permanently', () => {
    const others = listeners.filter(({ Properties }) => Properties['Port'] !== 443);
    expect(others.map(({ Properties }) => Properties['DefaultActions'])).toEqual([
      [{ Type: 'redirect', RedirectConfig: { Protocol: 'HTTPS', Port: '443', StatusCode: 'HTTP_301' } }],
    ]);
  });

  test('cannot be deleted by mistake, writes access logs, and drops invalid headers', () => {
    expect(attributes).toMatchObject({
      'deletion_protection.enabled': 'true',
      'access_logs.s3.enabled': 'true',
      'access_logs.s3.prefix': 'balancer',
      'routing.http.drop_invalid_header_fields.enabled': 'true',
    });
  });

  test('checks readiness on the port that clients cannot reach', () => {
    expectResource(gateway, 'AWS::ElasticLoadBalancingV2::TargetGroup', {
      Port: 8080,
      HealthCheckPort: '9464',
      HealthCheckPath: '/readyz',
      TargetType: 'ip',
    });
  });

  test('gets the DNS name of the deployment', () => {
    expect(resources(gateway, 'AWS::Route53::RecordSet')).toEqual({});
    const named = deployed({
      domain: { name: 'api.example.com', zone: 'example.com', zoneId: 'Z0123456789' },
    });
    expectResource(named.template('gateway'), 'AWS::Route53::RecordSet', {
      Name: 'api.example.com.',
      Type: 'A',
      HostedZoneId: 'Z0123456789',
    });
  });
});

describe('the gateways', () => {
  test('are at least two, and a new version that does not start is rolled back', () => {
    expectResource(gateway, 'AWS::ECS::Service', {
      DesiredCount: 2,
      DeploymentConfiguration: {
        MinimumHealthyPercent: 100,
        DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      },
    });
    expectResource(gateway, 'AWS::ApplicationAutoScaling::ScalableTarget', {
      MinCapacity: 2,
      MaxCapacity: 6,
    });
  });

  test('cannot write to their own files, and start when the database’s certificates are there', () => {
    const { Sightline, Authorities } = containers(gateway);
    expect(Sightline).toMatchObject({
      ReadonlyRootFilesystem: true,
      DependsOn: [{ ContainerName: 'Authorities', Condition: 'SUCCESS' }],
    });
    expect(Authorities!.Environment).toEqual([{ Name: 'RECORDS_AUTHORITY', Value: AUTHORITY }]);
  });

  test('keep their logs for a month', () => {
    expectResource(gateway, 'AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });

  test('have only the permissions for reading the store', () => {
    const [task] = Object.values(resources(gateway, 'AWS::ECS::TaskDefinition'));
    const roleName = textOf(task!.Properties['TaskRoleArn']).replace(/^<(\w+)\.Arn>$/, '$1');
    const role = resources(gateway, 'AWS::IAM::Role')[roleName]!;
    expect((role.Properties['ManagedPolicyArns'] as unknown[]).map(textOf)).toEqual([
      expect.stringContaining('GatewayAccess'),
    ]);
    const own = Object.values(resources(gateway, 'AWS::IAM::Policy')).filter(({ Properties }) =>
      JSON.stringify(Properties['Roles']).includes(roleName),
    );
    expect(own).toEqual([]);
  });
});

/** The stacks with a role that may read a secret. */
function readersOf(secret: string): string[] {
  return Object.keys(stacks).filter((name) => {
    const policies = template(name as Name).findResources('AWS::IAM::Policy');
    return Object.values(policies).some((policy) => {
      const text = JSON.stringify(policy);
      return text.includes('secretsmanager:Get') && text.includes(secret);
    });
  });
}

test('only tasks that sign get the signing key: weekly job, log and prune', () => {
  expect(readersOf(String(example['signingKeyArn']))).toEqual(['operator', 'weekly', 'audit']);
});

describe('the password of the records', () => {
  test('is in no template and no setting', () => {
    for (const [name, others] of [
      ['gateway', []],
      ['operator', [['SIGNING_KEY', example['signingKeyArn']]]],
    ] as const) {
      const { Sightline } = containers(template(name));
      expect(Sightline!.Secrets!.map(({ Name, ValueFrom }) => [Name, textOf(ValueFrom)])).toEqual([
        ['PGPASSWORD', expect.stringMatching(/^<RecordsSecretAttachment\w+>:password::$/)],
        ...others,
      ]);
    }
    expectResource(template('records'), 'AWS::RDS::DBInstance', {
      MasterUserPassword: { 'Fn::Join': ['', Match.arrayWith(['{{resolve:secretsmanager:'])] },
    });
  });

  test('is passed only to the tasks of gateway and operator', () => {
    expect(readersOf('RecordsSecretAttachment')).toEqual(['gateway', 'operator']);
  });
});

describe('the operator task', () => {
  const operator = template('operator');

  test('allows sessions, which are not logged', () => {
    expect(JSON.stringify(operator.findResources('AWS::IAM::Policy'))).toContain(
      'ssmmessages:CreateDataChannel',
    );
    expectResource(gateway, 'AWS::ECS::Cluster', {
      Configuration: { ExecuteCommandConfiguration: { Logging: 'NONE' } },
    });
  });

  test('ends by itself', () => {
    expect(containers(operator)['Sightline']).toMatchObject({
      EntryPoint: ['tini', '--'],
      Command: ['sleep', '60m'],
    });
  });
});

test('the records are private, encrypted, in two zones, backed up, and accept TLS only', () => {
  const records = template('records');
  records.hasResource('AWS::RDS::DBInstance', {
    DeletionPolicy: 'Snapshot',
    Properties: {
      Engine: 'postgres',
      PubliclyAccessible: false,
      StorageEncrypted: true,
      MultiAZ: true,
      BackupRetentionPeriod: 14,
      DeletionProtection: true,
    },
  });
  expectResource(records, 'AWS::RDS::DBParameterGroup', { Parameters: { 'rds.force_ssl': '1' } });
  const [subnets] = Object.values(resources(records, 'AWS::RDS::DBSubnetGroup'));
  expect(
    (subnets!.Properties['SubnetIds'] as unknown[]).map(textOf).every((id) => id.includes('records')),
  ).toBe(true);
});
