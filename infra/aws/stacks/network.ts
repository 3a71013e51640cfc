import { Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { ports } from '../project.ts';

/** The subnets and security groups in which tasks run. */
export interface Placement {
  vpcSubnets: SubnetSelection;
  assignPublicIp: boolean;
}

/** The network and its security groups: only the connections listed here are allowed. */
export class NetworkStack extends Stack {
  readonly vpc: Vpc;
  readonly tasks: Placement;
  readonly recordsSubnets: SubnetSelection = { subnetGroupName: 'records' };
  readonly balancer: SecurityGroup;
  readonly gateway: SecurityGroup;
  readonly job: SecurityGroup;
  readonly records: SecurityGroup;

  constructor(scope: Construct, id: string, props: StackProps & { parameters: Parameters; logs: IBucket }) {
    super(scope, id, props);
    const { egress } = props.parameters;
    const hasAddresses = egress === 'addresses';
    this.tasks = {
      vpcSubnets: { subnetGroupName: hasAddresses ? 'public' : 'tasks' },
      assignPublicIp: hasAddresses,
    };
    this.vpc = new Vpc(this, 'Network', {
      ipAddresses: IpAddresses.cidr('10.20.0.0/16'),
      maxAzs: 2,
      // A NAT gateway would be the most expensive part of a small system, and nothing here needs one (README.md, "The
      // way out").
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
        ...(hasAddresses ? [] : [{ name: 'tasks', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 24 }]),
        { name: 'records', subnetType: SubnetType.PRIVATE_ISOLATED, cidrMask: 26 },
      ],
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
      flowLogs: { All: { destination: FlowLogDestination.toS3(props.logs, 'flow') } },
    });
    this.balancer = this.#group('Balancer', 'the load balancer');
    this.gateway = this.#group('Gateway', 'the gateway, and the operator task');
    this.job = this.#group('Job', 'the weekly job');
    this.records = this.#group('Records', 'the records database');
    this.#connect();
    if (!hasAddresses) this.#addEndpoints();
  }

  #group(id: string, description: string): SecurityGroup {
    return new SecurityGroup(this, id, { vpc: this.vpc, description, allowAllOutbound: false });
  }

  #connect(): void {
    for (const port of [80, 443]) this.balancer.addIngressRule(Peer.anyIpv4(), Port.tcp(port), 'clients');
    accept(this.balancer, {
      EC23: 'The API is public: every client may reach the load balancer, and nothing else.',
    });
    for (const [port, use] of [
      [ports.clients, 'requests'],
      [ports.operators, 'health'],
    ] as const) {
      this.balancer.addEgressRule(this.gateway, Port.tcp(port), use);
      this.gateway.addIngressRule(this.balancer, Port.tcp(port), use);
    }
    this.gateway.addEgressRule(this.records, Port.tcp(ports.postgres), 'records');
    this.records.addIngressRule(this.gateway, Port.tcp(ports.postgres), 'gateways and operators');
    for (const group of [this.gateway, this.job])
      group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'S3, ECR, logs, secrets');
  }

  /** `ssmmessages` is for sessions in the operator task. */
  #addEndpoints(): void {
    const endpoints = this.#group('Endpoints', 'interface endpoints of AWS');
    for (const group of [this.gateway, this.job]) endpoints.addIngressRule(group, Port.tcp(443), 'tasks');
    for (const [name, service] of Object.entries({
      EcrApi: InterfaceVpcEndpointAwsService.ECR,
      EcrDocker: InterfaceVpcEndpointAwsService.ECR_DOCKER,
      Logs: InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
      Secrets: InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
      Messages: InterfaceVpcEndpointAwsService.SSM_MESSAGES,
    }))
      this.vpc.addInterfaceEndpoint(name, {
        service,
        subnets: this.tasks.vpcSubnets,
        securityGroups: [endpoints],
        open: false,
      });
  }
}
