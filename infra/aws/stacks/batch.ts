import { Duration, RemovalPolicy, Size, TimeZone } from 'aws-cdk-lib';
import {
  Action,
  EcsFargateContainerDefinition,
  EcsJobDefinition,
  FargateComputeEnvironment,
  JobQueue,
  Reason,
  RetryStrategy,
  Secret,
} from 'aws-cdk-lib/aws-batch';
import { LogDriver } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Schedule, ScheduleExpression, ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import { Universal } from 'aws-cdk-lib/aws-scheduler-targets';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { architectureOf, imageOf } from './image.ts';
import type { NetworkStack } from './network.ts';

/** A queue of AWS Batch on Fargate. @param cpus the most cores that run at a time */
export function fargateQueue(scope: Construct, network: NetworkStack, cpus: number): JobQueue {
  const computeEnvironment = new FargateComputeEnvironment(scope, 'Machines', {
    vpc: network.vpc,
    vpcSubnets: network.tasks.vpcSubnets,
    securityGroups: [network.job],
    maxvCpus: cpus,
  });
  return new JobQueue(scope, 'Jobs', { computeEnvironments: [{ order: 1, computeEnvironment }] });
}

/** A dead-letter queue for jobs that could not be submitted. */
export function undeliveredQueue(scope: Construct): Queue {
  const queue = new Queue(scope, 'Undelivered', { enforceSSL: true, retentionPeriod: Duration.days(14) });
  accept(queue, { SQS3: 'It is the queue for dead letters itself.' });
  return queue;
}

export interface JobProps {
  parameters: Parameters;
  network: NetworkStack;
  /** Its permissions on objects. */
  access: IManagedPolicy;
  command: string[];
  environment: Record<string, string>;
  secrets?: Record<string, ISecret>;
  cpus: number;
  memoryGiB: number;
  scratchGiB: number;
  attempts: number;
  /** Exit statuses that are not retried. */
  final: readonly number[];
  hours: number;
}

/** A job of our image with its own role, log and definition. */
export class Job extends Construct {
  readonly definition: EcsJobDefinition;

  constructor(scope: Construct, id: string, props: JobProps) {
    super(scope, id);
    const { parameters, network, secrets = {} } = props;
    const jobRole = new Role(this, 'Role', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    jobRole.addManagedPolicy(props.access);
    const container = new EcsFargateContainerDefinition(this, 'Container', {
      image: imageOf(this, parameters),
      cpu: props.cpus,
      memory: Size.gibibytes(props.memoryGiB),
      ephemeralStorageSize: Size.gibibytes(props.scratchGiB),
      fargateCpuArchitecture: architectureOf(parameters),
      assignPublicIp: network.tasks.assignPublicIp,
      jobRole,
      command: props.command,
      environment: { AWS_REGION: parameters.region, PUBLIC_KEY: parameters.publicKeys, ...props.environment },
      secrets: Object.fromEntries(
        Object.entries(secrets).map(([name, secret]) => [name, Secret.fromSecretsManager(secret)]),
      ),
      logging: LogDriver.awsLogs({
        streamPrefix: id.toLowerCase(),
        logGroup: new LogGroup(this, 'Log', {
          retention: RetentionDays.ONE_YEAR,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
      }),
    });
    accept(container, {
      'IAM5[Resource::*]':
        'The one action on everything is ecr:GetAuthorizationToken, which knows no resources.',
    });
    this.definition = new EcsJobDefinition(this, 'Definition', {
      container,
      retryAttempts: props.attempts,
      retryStrategies: props.final.map((status) =>
        RetryStrategy.of(Action.EXIT, Reason.custom({ onExitCode: String(status) })),
      ),
      timeout: Duration.hours(props.hours),
      parameters: {},
      propagateTags: true,
    });
  }
}

export interface SubmissionProps {
  /** In the six fields of EventBridge Scheduler. */
  cron: string;
  timeZone: string;
  description: string;
  jobName: string;
  queue: JobQueue;
  definition: EcsJobDefinition;
  /** The size of the array; an array has at least two jobs. */
  shards?: number;
  undelivered: Queue;
}

/** Submits a job on a schedule; submissions that fail go to the dead-letter queue. */
export function submitOn(scope: Construct, id: string, props: SubmissionProps): void {
  const { cron, timeZone, queue, definition, shards = 1 } = props;
  const resources = [queue.jobQueueArn, definition.jobDefinitionArn];
  new Schedule(scope, id, {
    description: props.description,
    schedule: ScheduleExpression.expression(`cron(${cron})`, TimeZone.of(timeZone)),
    target: new Universal({
      service: 'batch',
      action: 'submitJob',
      policyStatements: [new PolicyStatement({ actions: ['batch:SubmitJob'], resources })],
      input: ScheduleTargetInput.fromObject({
        JobName: props.jobName,
        JobQueue: queue.jobQueueArn,
        JobDefinition: definition.jobDefinitionArn,
        ...(shards === 1 ? {} : { ArrayProperties: { Size: shards } }),
      }),
      deadLetterQueue: props.undelivered,
      retryAttempts: 10,
      maxEventAge: Duration.hours(6),
    }),
  });
}
