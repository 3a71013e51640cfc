import { describe, expect, test } from 'vitest';
import { deployed, expectResource, resources, textOf } from './deployed.ts';

/** The allowed connections: `from → to:port`, with the names of the groups. */
function ways(
  template: ReturnType<ReturnType<typeof deployed>['template']>,
  type: 'Ingress' | 'Egress',
): string[] {
  const peer = type === 'Ingress' ? 'SourceSecurityGroupId' : 'DestinationSecurityGroupId';
  const own = Object.values(resources(template, `AWS::EC2::SecurityGroup${type}`)).map(({ Properties }) => ({
    group: name(textOf(Properties['GroupId'])),
    peer: name(textOf(Properties[peer])),
    port: Properties['FromPort'] as number,
  }));
  const inline = Object.entries(resources(template, 'AWS::EC2::SecurityGroup')).flatMap(
    ([group, { Properties }]) =>
      ((Properties[`SecurityGroup${type}`] ?? []) as { CidrIp: string; FromPort: number }[])
        .filter(({ CidrIp }) => CidrIp !== '255.255.255.255/32') // CDK's placeholder for no address
        .map(({ CidrIp, FromPort }) => ({ group: name(group), peer: CidrIp, port: FromPort })),
  );
  return [...own, ...inline]
    .map((way) =>
      type === 'Ingress'
        ? `${way.peer} → ${way.group}:${way.port}`
        : `${way.group} → ${way.peer}:${way.port}`,
    )
    .toSorted((a, b) => (a < b ? -1 : 1));
}

const name = (id: string) => id.replace(/^<?([A-Za-z]+?)[0-9A-F]{8}.*$/, '$1');

const inside = ['Balancer → Gateway:8080', 'Balancer → Gateway:9464', 'Gateway → Records:5432'];

const log = { origin: 'api.example.com/log' };

describe.each([{ egress: 'addresses' }, { egress: 'endpoints', log }])(
  'the network with $egress',
  (changes) => {
    const template = deployed(changes).template('network');
    const endpoints =
      changes.egress === 'endpoints' ? ['Gateway → Endpoints:443', 'Job → Endpoints:443'] : [];

    test('allows clients → load balancer → gateway → records, and no other connections', () => {
      expect(ways(template, 'Ingress')).toEqual([
        '0.0.0.0/0 → Balancer:443',
        '0.0.0.0/0 → Balancer:80',
        ...[...inside, ...endpoints].toSorted((a, b) => (a < b ? -1 : 1)),
      ]);
    });

    test('allows tasks to connect out on port 443 only', () => {
      expect(ways(template, 'Egress')).toEqual(
        [...inside, 'Gateway → 0.0.0.0/0:443', 'Job → 0.0.0.0/0:443'].toSorted((a, b) => (a < b ? -1 : 1)),
      );
    });

    test('has no NAT gateway, has the free endpoint of S3 in every subnet, and keeps flow logs', () => {
      template.resourceCountIs('AWS::EC2::NatGateway', 0);
      template.resourceCountIs('AWS::EC2::FlowLog', 1);
      const gateways = Object.values(resources(template, 'AWS::EC2::VPCEndpoint')).filter(
        ({ Properties }) => Properties['VpcEndpointType'] === 'Gateway',
      );
      expect(gateways).toHaveLength(1);
      const routed = gateways[0]!.Properties['RouteTableIds'] as unknown[];
      expect(routed).toHaveLength(Object.keys(resources(template, 'AWS::EC2::RouteTable')).length);
    });

    test('routes only public subnets to the internet', () => {
      const routes = Object.values(resources(template, 'AWS::EC2::Route')).map(({ Properties }) =>
        textOf(Properties['RouteTableId']),
      );
      expect(routes.every((table) => table.includes('public'))).toBe(true);
      expect(routes).toHaveLength(2);
    });
  },
);

test.each([
  ['addresses', 'ENABLED', 'public'],
  ['endpoints', 'DISABLED', 'tasks'],
])('with %s, tasks and jobs have an address: %s', (egress, address, subnets) => {
  const { template } = deployed({ egress, log });
  const [service] = Object.values(resources(template('gateway'), 'AWS::ECS::Service'));
  const network = service!.Properties['NetworkConfiguration'] as {
    AwsvpcConfiguration: { AssignPublicIp: string; Subnets: unknown[] };
  };
  expect(network.AwsvpcConfiguration.AssignPublicIp).toBe(address);
  expect(network.AwsvpcConfiguration.Subnets.map(textOf).every((id) => id.includes(subnets))).toBe(true);
  expectResource(template('weekly'), 'AWS::Batch::JobDefinition', {
    ContainerProperties: { NetworkConfiguration: { AssignPublicIp: address } },
  });
});
