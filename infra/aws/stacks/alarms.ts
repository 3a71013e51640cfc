import { Duration, Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { JobQueue } from 'aws-cdk-lib/aws-batch';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { HttpCodeElb, HttpCodeTarget } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { EventField, Match, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';
import type { AuditStack } from './audit.ts';
import type { GatewayStack } from './gateway.ts';
import type { RecordsStack } from './records.ts';
import { Watch } from './watch.ts';
import type { WeeklyStack } from './weekly.ts';

export interface AlarmsProps extends StackProps {
  parameters: Parameters;
  gateway: GatewayStack;
  records: RecordsStack;
  weekly: WeeklyStack;
  audit: AuditStack;
}

interface Limit {
  metric: IMetric;
  /** The threshold: at it or beyond, the alarm fires. */
  at: number;
  isFloor?: true;
  /** Consecutive minutes. */
  minutes: number;
  says: string;
}

const GIB = 1024 ** 3;
const minute = { period: Duration.minutes(1) };

/** The alarms, which notify one topic. */
export class AlarmsStack extends Stack {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id, props);
    this.topic = new Topic(this, 'Alarms', { displayName: 'Sightline', enforceSSL: true });
    this.#letCloudWatchPublish();
    const { alarmEmail } = props.parameters;
    if (alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(alarmEmail));
    const limits = {
      ...gatewayLimits(props.gateway),
      ...recordsLimits(props),
      ...submissionLimits(props),
    };
    for (const [name, limit] of Object.entries(limits)) this.#tell(this.#alarm(name, limit));
    for (const [name, queue, jobName, days] of [
      // A week, and a day to repeat a failed run.
      ['Watch', props.weekly.queue, 'week', 8],
      ['LogWatch', props.audit.queue, 'log', 2],
      ['VerifyWatch', props.audit.queue, 'verify', 2],
    ] as const)
      this.#tell(new Watch(this, name, { queue, jobName, days }).alarm);
    this.#tellOfFailed('FailedWeek', props.weekly.queue, 'Workspaces that it left keep their last week.');
    this.#tellOfFailed('FailedNight', props.audit.queue, 'The store is not intact, or was not looked at.');
  }

  /** The topic's own policy, which enforces TLS, replaces the default one that allows CloudWatch to publish. */
  #letCloudWatchPublish(): void {
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
  }

  #alarm(name: string, { metric, at, isFloor, minutes, says }: Limit): Alarm {
    return new Alarm(this, name, {
      metric,
      threshold: at,
      comparisonOperator:
        isFloor === true
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: minutes,
      treatMissingData: isFloor === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `Sightline: ${says} (README.md, "Alarms")`,
    });
  }

  #tell(alarm: Alarm): void {
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }

  /** Once for the array job, not for each of its shards. */
  #tellOfFailed(id: string, queue: JobQueue, means: string): void {
    new Rule(this, id, {
      description: 'a job of Sightline failed, all its attempts included',
      eventPattern: {
        source: ['aws.batch'],
        detailType: ['Batch Job State Change'],
        detail: {
          status: ['FAILED'],
          jobQueue: [queue.jobQueueArn],
          arrayProperties: { index: Match.doesNotExist() },
        },
      },
      targets: [
        new SnsTopic(this.topic, {
          message: RuleTargetInput.fromText(
            `Sightline: the job ${detail('jobName')} (${detail('jobId')}) failed: ${detail('statusReason')}. ${means} Its log says why; README.md, "Alarms", what to do.`,
          ),
        }),
      ],
    });
  }
}

/** A field of the event, which EventBridge substitutes. */
function detail(name: string): string {
  return EventField.fromPath(`$.detail.${name}`);
}

function gatewayLimits({ service, targets, balancer }: GatewayStack): Record<string, Limit> {
  const sum = { period: Duration.minutes(1), statistic: Stats.SUM };
  return {
    GatewayErrors: {
      metric: targets.metrics.httpCodeTarget(HttpCodeTarget.TARGET_5XX_COUNT, sum),
      at: 5,
      minutes: 3,
      says: 'gateways answer 500',
    },
    BalancerErrors: {
      metric: balancer.metrics.httpCodeElb(HttpCodeElb.ELB_5XX_COUNT, sum),
      at: 5,
      minutes: 3,
      says: 'the load balancer finds no gateway that answers',
    },
    UnhealthyGateways: {
      metric: targets.metrics.unhealthyHostCount({ ...minute, statistic: Stats.MAXIMUM }),
      at: 1,
      minutes: 5,
      says: 'a gateway is not healthy',
    },
    HealthyGateways: {
      metric: targets.metrics.healthyHostCount({ ...minute, statistic: Stats.MINIMUM }),
      at: 1,
      isFloor: true,
      minutes: 3,
      says: 'no gateway is healthy',
    },
    GatewayCpu: {
      metric: service.metricCpuUtilization(minute),
      at: 85,
      minutes: 15,
      says: 'the gateways have no CPU left, and there may be no more of them',
    },
    GatewayMemory: {
      metric: service.metricMemoryUtilization(minute),
      at: 90,
      minutes: 15,
      says: 'the gateways have little memory left',
    },
  };
}

function recordsLimits({ records: { database }, parameters }: AlarmsProps): Record<string, Limit> {
  const { storageGiB, connectionsAlarm } = parameters.records;
  return {
    RecordsStorage: {
      metric: database.metricFreeStorageSpace({ ...minute, statistic: Stats.MINIMUM }),
      at: storageGiB * GIB * 0.15,
      isFloor: true,
      minutes: 10,
      says: 'the database has little storage left',
    },
    RecordsConnections: {
      metric: database.metricDatabaseConnections({ ...minute, statistic: Stats.MAXIMUM }),
      at: connectionsAlarm,
      minutes: 10,
      says: 'the database has many connections',
    },
    RecordsCpu: {
      metric: database.metricCPUUtilization(minute),
      at: 85,
      minutes: 15,
      says: 'the database has no CPU left',
    },
  };
}

function submissionLimits({ weekly, audit }: AlarmsProps): Record<string, Limit> {
  return {
    UndeliveredWeek: noMessages(weekly.undelivered, 'a weekly job could not be submitted'),
    UndeliveredNight: noMessages(
      audit.undelivered,
      'an append to the log or a verification could not be submitted',
    ),
  };
}

function noMessages(queue: Queue, says: string): Limit {
  const metric = queue.metricApproximateNumberOfMessagesVisible({ ...minute, statistic: Stats.MAXIMUM });
  return { metric, at: 1, minutes: 1, says };
}
