import { CfnOutput, Duration, RemovalPolicy, Size, Stack, TimeZone } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import {
  EcsFargateContainerDefinition,
  EcsJobDefinition,
  FargateComputeEnvironment,
  JobQueue,
} from 'aws-cdk-lib/aws-batch';
import { LogDriver } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleTargetInput,
} from 'aws-cdk-lib/aws-scheduler';
import { Universal } from 'aws-cdk-lib/aws-scheduler-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { commands } from '../project.ts';
import { architectureOf, imageOf } from './image.ts';
import type { NetworkStack } from './network.ts';
import type { StorageStack } from './storage.ts';

export interface WeeklyProps extends StackProps {
  parameters: Parameters;
  network: NetworkStack;
  storage: StorageStack;
}

/** The weekly job: an array of AWS Batch, a shard of the workspaces each, on a schedule. */
export class WeeklyStack extends Stack {
  readonly queue: JobQueue;
  readonly definition: EcsJobDefinition;
  /** Weeks that could not even be submitted. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: WeeklyProps) {
    super(scope, id, props);
    const { parameters, network } = props;
    const { shards, cpus } = parameters.weekly;
    this.queue = new JobQueue(this, 'Jobs', {
      computeEnvironments: [
        {
          order: 1,
          computeEnvironment: new FargateComputeEnvironment(this, 'Machines', {
            vpc: network.vpc,
            vpcSubnets: network.tasks.vpcSubnets,
            securityGroups: [network.job],
            maxvCpus: shards * cpus,
          }),
        },
      ],
    });
    this.definition = this.#definition(props);
    this.undelivered = new Queue(this, 'Undelivered', {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    accept(this.undelivered, { SQS3: 'It is the queue for dead letters itself.' });
    this.#schedule(parameters);
    new CfnOutput(this, 'JobQueue', { value: this.queue.jobQueueArn });
    new CfnOutput(this, 'JobDefinition', { value: this.definition.jobDefinitionArn });
  }

  #definition({ parameters, network, storage }: WeeklyProps): EcsJobDefinition {
    const { shards, cpus, memoryGiB, scratchGiB, attempts, hours } = parameters.weekly;
    const jobRole = new Role(this, 'Role', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    jobRole.addManagedPolicy(storage.access.weekly);
    const share = shards === 1 ? [] : [commands.shards, String(shards)];
    const container = new EcsFargateContainerDefinition(this, 'Container', {
      image: imageOf(this, parameters),
      cpu: cpus,
      memory: Size.gibibytes(memoryGiB),
      ephemeralStorageSize: Size.gibibytes(scratchGiB),
      fargateCpuArchitecture: architectureOf(parameters),
      assignPublicIp: network.tasks.assignPublicIp,
      jobRole,
      command: [...commands.weekly, ...share],
      environment: {
        AWS_REGION: parameters.region,
        STORE_URL: `s3://${storage.store.bucketName}`,
        LAKE_URL: `s3://${storage.lake.bucketName}`,
      },
      logging: LogDriver.awsLogs({
        streamPrefix: 'weekly',
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
    return new EcsJobDefinition(this, 'Week', {
      container,
      retryAttempts: attempts,
      timeout: Duration.hours(hours),
      parameters: {},
      propagateTags: true,
    });
  }

  /** Every attempt, and every shard, is as of the instant that was scheduled: a repeated week gives the same snapshots. */
  #schedule({ weekly: { cron, timeZone, shards } }: Parameters): void {
    const resources = [this.queue.jobQueueArn, this.definition.jobDefinitionArn];
    new Schedule(this, 'Weekly', {
      description: 'submits the weekly job of Sightline',
      schedule: ScheduleExpression.expression(`cron(${cron})`, TimeZone.of(timeZone)),
      target: new Universal({
        service: 'batch',
        action: 'submitJob',
        policyStatements: [new PolicyStatement({ actions: ['batch:SubmitJob'], resources })],
        input: ScheduleTargetInput.fromObject({
          JobName: 'week',
          JobQueue: this.queue.jobQueueArn,
          JobDefinition: this.definition.jobDefinitionArn,
          Parameters: { asOf: ContextAttribute.scheduledTime },
          // An array has at least two jobs.
          ...(shards === 1 ? {} : { ArrayProperties: { Size: shards } }),
        }),
        deadLetterQueue: this.undelivered,
        retryAttempts: 10,
        maxEventAge: Duration.hours(6),
      }),
    });
  }
}
