import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { EcsJobDefinition, JobQueue } from 'aws-cdk-lib/aws-batch';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { BatchJob } from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { commands, STATE_KEY, SUBSET } from '../project.ts';
import { Job, fargateQueue, submitOn, undeliveredQueue } from './batch.ts';
import type { WeeklyProps, WeeklyStack } from './weekly.ts';

export interface AuditProps extends WeeklyProps {
  weekly: WeeklyStack;
}

/** The size of both jobs: they read and hash one object after the other. */
const size = { cpus: 1, memoryGiB: 2, scratchGiB: 21, attempts: 3, hours: 12 };

/** Appends to the transparency log and verifies the store each night; also appends after each run of the weekly job. */
export class AuditStack extends Stack {
  readonly queue: JobQueue;
  /** Dead letters: nightly jobs that could not be submitted. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: AuditProps) {
    super(scope, id, props);
    const { timeZone } = props.parameters.weekly;
    const { minute, hour } = props.parameters.nightly;
    this.queue = fargateQueue(this, props.network, 2 * size.cpus);
    this.undelivered = undeliveredQueue(this);
    const { queue, undelivered } = this;
    const log = this.#log(props);
    const verify = this.#verify(props);
    const nightly = (at: number) => ({ cron: `${minute} ${at} * * ? *`, timeZone, queue, undelivered });
    submitOn(this, 'LogNightly', {
      ...nightly(hour),
      description: 'submits the append to the log of Sightline',
      jobName: 'log',
      definition: log,
    });
    submitOn(this, 'VerifyNightly', {
      ...nightly(hour + 1),
      description: 'submits the verification of the store of Sightline',
      jobName: 'verify',
      definition: verify,
    });
    this.#appendAfter(props.weekly, log);
    new CfnOutput(this, 'JobQueue', { value: queue.jobQueueArn });
    new CfnOutput(this, 'LogDefinition', { value: log.jobDefinitionArn });
    new CfnOutput(this, 'VerifyDefinition', { value: verify.jobDefinitionArn });
  }

  #log({ parameters, network, storage }: AuditProps): EcsJobDefinition {
    const { origin, timestampUrl, witnessUrls } = parameters.log;
    return new Job(this, 'Log', {
      ...size,
      parameters,
      network,
      access: storage.access.log,
      command: [...commands.log],
      final: [2],
      environment: {
        STORE_URL: `s3://${storage.store.bucketName}`,
        LAKE_URL: `s3://${storage.lake.bucketName}`,
        LOG_ORIGIN: origin,
        ...(timestampUrl === undefined ? {} : { TIMESTAMP_URL: timestampUrl }),
        ...(witnessUrls.length === 0 ? {} : { WITNESS_URLS: witnessUrls.join(' ') }),
      },
      secrets: { SIGNING_KEY: Secret.fromSecretCompleteArn(this, 'SigningKey', parameters.signingKeyArn) },
    }).definition;
  }

  #verify({ parameters, network, storage }: AuditProps): EcsJobDefinition {
    const state = `s3://${storage.state.bucketName}/${STATE_KEY}`;
    return new Job(this, 'Verify', {
      ...size,
      parameters,
      network,
      access: storage.access.verify,
      command: [...commands.verify, '--state', state, '--read-data-subset', SUBSET],
      final: [1, 2], // not intact, or wrong usage; with 3 the store could not be read
      environment: { STORE_URL: `s3://${storage.store.bucketName}` },
    }).definition;
  }

  /** Also after a failed job, which may have published other workspaces. Once for the array job, not for each shard. */
  #appendAfter(weekly: WeeklyStack, log: EcsJobDefinition): void {
    new Rule(this, 'AfterWeek', {
      description: 'appends to the log of Sightline what the weekly job has published',
      eventPattern: {
        source: ['aws.batch'],
        detailType: ['Batch Job State Change'],
        detail: {
          status: ['SUCCEEDED', 'FAILED'],
          jobQueue: [weekly.queue.jobQueueArn],
          arrayProperties: { index: Match.doesNotExist() },
        },
      },
      targets: [
        new BatchJob(this.queue.jobQueueArn, this.queue, log.jobDefinitionArn, log, {
          jobName: 'log',
          deadLetterQueue: this.undelivered,
        }),
      ],
    });
  }
}
