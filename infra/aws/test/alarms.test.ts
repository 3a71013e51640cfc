import { describe, expect, test } from 'vitest';
import { deployed, expectResource, resources, textOf } from './deployed.ts';

const alarms = deployed().template('alarms');
const all = Object.entries(resources(alarms, 'AWS::CloudWatch::Alarm'));
const [[topicName] = ['']] = Object.entries(resources(alarms, 'AWS::SNS::Topic'));

describe('an alarm', () => {
  test.each([
    ['GatewayErrors', 'HTTPCode_Target_5XX_Count', 5, 'notBreaching'],
    ['BalancerErrors', 'HTTPCode_ELB_5XX_Count', 5, 'notBreaching'],
    ['UnhealthyGateways', 'UnHealthyHostCount', 1, 'notBreaching'],
    ['HealthyGateways', 'HealthyHostCount', 1, 'breaching'],
    ['GatewayCpu', 'CPUUtilization', 85, 'notBreaching'],
    ['GatewayMemory', 'MemoryUtilization', 90, 'notBreaching'],
    ['RecordsStorage', 'FreeStorageSpace', 3 * 1024 ** 3, 'breaching'],
    ['RecordsConnections', 'DatabaseConnections', 80, 'notBreaching'],
    ['RecordsCpu', 'CPUUtilization', 85, 'notBreaching'],
    ['UndeliveredWeek', 'ApproximateNumberOfMessagesVisible', 1, 'notBreaching'],
    ['UndeliveredNight', 'ApproximateNumberOfMessagesVisible', 1, 'notBreaching'],
    ['WatchAlarm', 'ExecutionsSucceeded', 1, 'breaching'],
    ['LogWatchAlarm', 'ExecutionsSucceeded', 1, 'breaching'],
    ['VerifyWatchAlarm', 'ExecutionsSucceeded', 1, 'breaching'],
  ])('%s looks at %s', (name, metric, threshold, missing) => {
    const [, alarm] = all.find(([id]) => id.startsWith(name))!;
    expect(alarm.Properties).toMatchObject({
      MetricName: metric,
      Threshold: threshold,
      TreatMissingData: missing,
      ComparisonOperator: missing === 'breaching' ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
      AlarmActions: [{ Ref: topicName }],
      OKActions: [{ Ref: topicName }],
    });
  });

  test('is in the list above', () => {
    expect(all).toHaveLength(14);
  });
});

describe('the topic', () => {
  test('accepts alarms of this account and events of failed jobs, over TLS only', () => {
    const [policy] = Object.values(resources(alarms, 'AWS::SNS::TopicPolicy'));
    const { Statement } = policy!.Properties['PolicyDocument'] as {
      Statement: { Effect: string; Principal: unknown; Condition?: unknown }[];
    };
    expect(Statement.map(({ Effect, Principal }) => [Effect, Principal])).toEqual([
      ['Deny', '*'],
      ['Allow', { Service: 'cloudwatch.amazonaws.com' }],
      ['Allow', { Service: 'events.amazonaws.com' }],
    ]);
    expect(Statement[0]!.Condition).toEqual({ Bool: { 'aws:SecureTransport': 'false' } });
  });

  test('notifies the e-mail address of the deployment', () => {
    expectResource(alarms, 'AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'operations@example.com',
    });
    deployed({ alarmEmail: undefined }).template('alarms').resourceCountIs('AWS::SNS::Subscription', 0);
  });
});

test('a failed job is reported once, not for each of its shards; weekly and nightly jobs', () => {
  const rules = Object.values(resources(alarms, 'AWS::Events::Rule')).map(({ Properties }) => {
    const { source, detail } = Properties['EventPattern'] as {
      source: string[];
      detail: { jobQueue: unknown[] };
    };
    expect({ source, ...detail }).toMatchObject({
      source: ['aws.batch'],
      status: ['FAILED'],
      arrayProperties: { index: [{ exists: false }] },
    });
    return JSON.stringify(detail.jobQueue);
  });
  expect(rules.map((queue) => /Sightline-(\w+):/.exec(queue)?.[1])).toEqual(['Weekly', 'Audit']);
});

test.each([
  ['WatchMachine', 'week', 8],
  ['LogWatchMachine', 'log', 2],
  ['VerifyWatchMachine', 'verify', 2],
])('%s asks AWS Batch for a job %s that has succeeded in the last %i days', (name, job, days) => {
  const [, machine] = Object.entries(resources(alarms, 'AWS::StepFunctions::StateMachine')).find(([id]) =>
    id.startsWith(name),
  )!;
  const { States } = JSON.parse(textOf(machine.Properties['DefinitionString'])) as {
    States: Record<
      string,
      { Type: string; Arguments?: unknown; Choices?: { Condition: string; Next: string }[]; Default?: string }
    >;
  };
  expect(States['Jobs']!.Arguments).toMatchObject({
    Filters: [{ Name: 'AFTER_CREATED_AT', Values: [`{% $string($millis() - ${days * 86_400_000}) %}`] }],
  });
  const { Choices, Default } = States['Choice']!;
  expect(Choices![0]!.Condition).toContain(`[Status = 'SUCCEEDED' and JobName = '${job}']`);
  expect([States[Choices![0]!.Next]!.Type, States[Default!]!.Type]).toEqual(['Succeed', 'Fail']);
});
