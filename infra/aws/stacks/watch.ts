import { Duration } from 'aws-cdk-lib';
import type { JobQueue } from 'aws-cdk-lib/aws-batch';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { StepFunctionsStartExecution } from 'aws-cdk-lib/aws-scheduler-targets';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  StateMachine,
  Succeed,
} from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { accept } from '../accept.ts';

export interface WatchProps {
  queue: JobQueue;
  jobName: string;
  days: number;
}

/**
 * Checks four times a day whether a job of this name has succeeded in the last `days` days. A CloudWatch alarm cannot
 * look back more than seven days, and would not notice a removed schedule.
 */
export class Watch extends Construct {
  readonly alarm: Alarm;

  constructor(scope: Construct, id: string, { queue, jobName, days }: WatchProps) {
    super(scope, id);
    const jobs = CallAwsService.jsonata(this, 'Jobs', {
      service: 'batch',
      action: 'listJobs',
      parameters: {
        JobQueue: queue.jobQueueArn,
        Filters: [
          {
            Name: 'AFTER_CREATED_AT',
            Values: [`{% $string($millis() - ${Duration.days(days).toMilliseconds()}) %}`],
          },
        ],
      },
      iamResources: ['*'],
    });
    const succeeded = `$exists($states.input.JobSummaryList[Status = 'SUCCEEDED' and JobName = '${jobName}'])`;
    const machine = new StateMachine(this, 'Machine', {
      comment: `Succeeds if the job ${jobName} has succeeded in the last ${days} days.`,
      timeout: Duration.minutes(5),
      definitionBody: DefinitionBody.fromChainable(
        jobs.next(
          Choice.jsonata(this, 'Choice')
            .when(Condition.jsonata(`{% ${succeeded} %}`), Succeed.jsonata(this, 'Published'))
            .otherwise(
              Fail.jsonata(this, 'Stale', {
                error: 'Stale',
                cause: `the job ${jobName} has not succeeded for ${days} days`,
              }),
            ),
        ),
      ),
    });
    accept(machine, {
      SF1: 'AWS keeps the history of each run of a standard workflow for 90 days; it is two states long.',
      SF2: 'Two states and one call: there is nothing to trace.',
      'IAM5[Resource::*]': 'The one action on everything is batch:ListJobs, which knows no resources.',
    });
    new Schedule(this, 'Often', {
      description: `asks whether the job ${jobName} of Sightline has succeeded lately`,
      schedule: ScheduleExpression.rate(Duration.hours(6)),
      target: new StepFunctionsStartExecution(machine, {}),
    });
    this.alarm = this.#alarm(machine, `the job ${jobName} has not succeeded for ${days} days`);
  }

  /** Missing data counts as a breach, so that a watch that no longer runs is noticed too. */
  #alarm(machine: StateMachine, says: string): Alarm {
    const metric: Metric = machine.metricSucceeded({ period: Duration.days(1), statistic: Stats.SUM });
    return metric.createAlarm(this, 'Alarm', {
      alarmDescription: `Sightline: ${says}, or nothing asks any more (README.md, "Alarms")`,
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }
}
