import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import { Cluster, ExecuteCommandLogging, FargateService, PropagatedTagSource } from 'aws-cdk-lib/aws-ecs';
import {
  ApplicationLoadBalancer,
  ApplicationProtocol,
  ApplicationTargetGroup,
  ListenerAction,
  ListenerCertificate,
  SslPolicy,
  TargetType,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { LoadBalancerTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { READY_PATH, ports, commands, stopping } from '../project.ts';
import type { NetworkStack } from './network.ts';
import type { RecordsStack } from './records.ts';
import type { StorageStack } from './storage.ts';
import { RecordsTask } from './task.ts';

export interface GatewayProps extends StackProps {
  parameters: Parameters;
  network: NetworkStack;
  storage: StorageStack;
  records: RecordsStack;
}

/** The gateways behind a load balancer with TLS. */
export class GatewayStack extends Stack {
  readonly cluster: Cluster;
  readonly service: FargateService;
  readonly targets: ApplicationTargetGroup;
  readonly balancer: ApplicationLoadBalancer;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id, props);
    const { parameters, network } = props;
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: network.vpc,
      // A session in the operator task prints new keys.
      executeCommandConfiguration: { logging: ExecuteCommandLogging.NONE },
    });
    accept(this.cluster, {
      ECS4: 'The alarms need the metrics that ECS has for free; insights cost by the metric.',
    });
    this.service = this.#service(this.#task(props), props);
    this.balancer = this.#balancer(props);
    this.targets = this.#targets(network);
    this.service.attachToApplicationTargetGroup(this.targets);
    this.#listen(parameters);
    this.#scale(parameters);
    if (parameters.domain !== undefined) this.#name(parameters.domain);
    new CfnOutput(this, 'Address', { value: this.balancer.loadBalancerDnsName });
  }

  #task({ parameters, storage, records }: GatewayProps): RecordsTask {
    const { cpu, memoryMiB } = parameters.gateway;
    const task = new RecordsTask(this, 'Gateway', {
      parameters,
      records,
      cpu,
      memoryMiB,
      logGroup: new LogGroup(this, 'Log', {
        retention: RetentionDays.ONE_MONTH,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
      command: [...commands.gateway],
      environment: {
        HOST: '0.0.0.0',
        PORT: String(ports.clients),
        METRICS_HOST: '0.0.0.0',
        METRICS_PORT: String(ports.operators),
        STORE_URL: `s3://${storage.store.bucketName}`,
        PUBLIC_KEY: parameters.publicKey,
        // Each read of a workspace's pointer costs money (docs/cost.md), and numbers change once a week.
        POINTER_REFRESH_SECONDS: '60',
        DRAIN_SECONDS: String(stopping.drain),
        SHUTDOWN_SECONDS: String(stopping.shutdown),
      },
      container: {
        portMappings: [{ containerPort: ports.clients }, { containerPort: ports.operators }],
        stopTimeout: Duration.seconds(stopping.drain + stopping.shutdown + 15),
      },
    });
    task.taskRole.addManagedPolicy(storage.access.gateway);
    return task;
  }

  #service(taskDefinition: RecordsTask, { parameters, network }: GatewayProps): FargateService {
    return new FargateService(this, 'Service', {
      cluster: this.cluster,
      taskDefinition,
      ...network.tasks,
      securityGroups: [network.gateway],
      desiredCount: parameters.gateway.fewest,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
      propagateTags: PropagatedTagSource.SERVICE,
    });
  }

  #balancer({ network, storage }: GatewayProps): ApplicationLoadBalancer {
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc: network.vpc,
      vpcSubnets: { subnetGroupName: 'public' },
      securityGroup: network.balancer,
      internetFacing: true,
      deletionProtection: true,
      dropInvalidHeaderFields: true,
      // Shorter than the 75 s after which the gateway closes an idle connection (gateway/http/connections.ts).
      idleTimeout: Duration.seconds(60),
    });
    balancer.logAccessLogs(storage.logs, 'balancer');
    return balancer;
  }

  #targets({ vpc }: NetworkStack): ApplicationTargetGroup {
    return new ApplicationTargetGroup(this, 'Gateways', {
      vpc,
      port: ports.clients,
      protocol: ApplicationProtocol.HTTP,
      targetType: TargetType.IP,
      deregistrationDelay: Duration.seconds(15),
      healthCheck: {
        port: String(ports.operators),
        path: READY_PATH,
        healthyHttpCodes: '200',
        interval: Duration.seconds(10),
        timeout: Duration.seconds(5),
        healthyThresholdCount: 2,
        unhealthyThresholdCount: 3,
      },
    });
  }

  #listen({ certificateArn }: Parameters): void {
    this.balancer.addListener('Https', {
      port: 443,
      protocol: ApplicationProtocol.HTTPS,
      open: false, // the security group has the rules
      certificates: [ListenerCertificate.fromArn(certificateArn)],
      sslPolicy: SslPolicy.TLS13_12_RES_PQ,
      defaultAction: ListenerAction.forward([this.targets]),
    });
    this.balancer.addListener('Http', {
      port: 80,
      protocol: ApplicationProtocol.HTTP,
      open: false,
      defaultAction: ListenerAction.redirect({ protocol: 'HTTPS', port: '443', permanent: true }),
    });
  }

  #scale({ gateway }: Parameters): void {
    const scaling = this.service.autoScaleTaskCount({
      minCapacity: gateway.fewest,
      maxCapacity: gateway.most,
    });
    scaling.scaleOnCpuUtilization('Cpu', {
      targetUtilizationPercent: 60,
      scaleInCooldown: Duration.minutes(10),
      scaleOutCooldown: Duration.minutes(1),
    });
  }

  #name({ name, zone, zoneId }: NonNullable<Parameters['domain']>): void {
    const hostedZone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: zoneId,
      zoneName: zone,
    });
    new ARecord(this, 'Name', {
      zone: hostedZone,
      recordName: `${name}.`,
      target: RecordTarget.fromAlias(new LoadBalancerTarget(this.balancer)),
    });
  }
}
