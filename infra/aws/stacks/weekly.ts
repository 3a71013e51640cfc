import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import type { EcsJobDefinition, JobQueue } from 'aws-cdk-lib/aws-batch';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';
import { commands } from '../project.ts';
import { Job, fargateQueue, submitOn, undeliveredQueue } from './batch.ts';
import type { NetworkStack } from './network.ts';
import type { StorageStack } from './storage.ts';

export interface WeeklyProps extends StackProps {
  parameters: Parameters;
  network: NetworkStack;
  storage: StorageStack;
}

/** The weekly job: an array job of AWS Batch, one shard of the workspaces per job, on a schedule. */
export class WeeklyStack extends Stack {
  readonly queue: JobQueue;
  readonly definition: EcsJobDefinition;
  /** Dead letters: weekly jobs that could not be submitted. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: WeeklyProps) {
    super(scope, id, props);
    const { parameters, network, storage } = props;
    const { shards, cpus, cron, timeZone } = parameters.weekly;
    this.queue = fargateQueue(this, network, shards * cpus);
    this.definition = new Job(this, 'Week', {
      ...parameters.weekly,
      parameters,
      network,
      access: storage.access.weekly,
      command: weeklyCommand(parameters),
      final: [2],
      environment: {
        STORE_URL: `s3://${storage.store.bucketName}`,
        LAKE_URL: `s3://${storage.lake.bucketName}`,
      },
      secrets: { SIGNING_KEY: Secret.fromSecretCompleteArn(this, 'SigningKey', parameters.signingKeyArn) },
    }).definition;
    this.undelivered = undeliveredQueue(this);
    submitOn(this, 'Weekly', {
      description: 'submits the weekly job of Sightline',
      jobName: 'week',
      cron,
      timeZone,
      shards,
      queue: this.queue,
      definition: this.definition,
      undelivered: this.undelivered,
    });
    new CfnOutput(this, 'JobQueue', { value: this.queue.jobQueueArn });
    new CfnOutput(this, 'JobDefinition', { value: this.definition.jobDefinitionArn });
  }
}

/** Every run, attempt and shard is as of the last due instant, so a repeated week gives the same snapshots. */
function weeklyCommand({ weekly: { due, timeZone, requireComplete, shards } }: Parameters): string[] {
  return [
    ...commands.weekly,
    '--due',
    due,
    '--timezone',
    timeZone,
    '--require-complete',
    String(requireComplete),
    ...(shards === 1 ? [] : ['--shards', String(shards)]),
  ];
}
