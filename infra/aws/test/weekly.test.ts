import { describe, expect, test } from 'vitest';
import { deployed, example, expectResource, resources, textOf } from './deployed.ts';

interface Target {
  Arn: unknown;
  Input: unknown;
  RetryPolicy: unknown;
  DeadLetterConfig: unknown;
}

interface Secretive {
  Secrets?: { Name: string; ValueFrom: unknown }[];
}

/** What the schedule of a deployment submits. */
function submitted(changes: Record<string, unknown> = {}) {
  const weekly = deployed(changes).template('weekly');
  const [schedule] = Object.values(resources(weekly, 'AWS::Scheduler::Schedule'));
  const target = schedule!.Properties['Target'] as Target;
  const [definition] = Object.values(resources(weekly, 'AWS::Batch::JobDefinition'));
  const { Command } = definition!.Properties['ContainerProperties'] as { Command: string[] };
  const input = JSON.parse(textOf(target.Input)) as Record<string, unknown>;
  return {
    weekly,
    schedule: schedule!.Properties,
    target,
    input,
    Command,
    definition: definition!.Properties,
  };
}

describe('the schedule', () => {
  const { schedule, target, input } = submitted();

  test('is the deployment’s, on the clocks of its time zone, to the minute', () => {
    expect(schedule).toMatchObject({
      ScheduleExpression: 'cron(0 6-22/2 ? * MON *)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
    });
  });

  test('submits a job as of the last due instant, so that a repeated week is the same week', () => {
    const { Command } = submitted();
    const due = ['--due', '0 6 * * 1', '--timezone', 'Europe/Berlin'];
    expect(Command).toEqual(['job', 'weekly', ...due, '--require-complete', '90']);
    expect(textOf(target.Arn)).toMatch(/:aws-sdk:batch:submitJob$/);
    expect(input).toEqual({
      JobName: 'week',
      JobQueue: expect.stringMatching(/^<Jobs\w+\.JobQueueArn>$/) as string,
      JobDefinition: expect.stringMatching(/^<WeekDefinition\w+>$/) as string,
    });
  });

  test('tries again, and keeps what could not be submitted', () => {
    expect(target).toMatchObject({
      RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 6 * 3600 },
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^Undelivered/), 'Arn'] } },
    });
  });
});

describe('the job', () => {
  test('of one shard is no array, which would have two jobs at least', () => {
    const { input, Command } = submitted();
    expect(input).not.toHaveProperty('ArrayProperties');
    expect(Command).not.toContain('--shards');
  });

  test('of several is an array of as many, each told how many there are, and all fit side by side', () => {
    const { input, Command, weekly } = submitted({ weekly: { shards: 8, cpus: 4, memoryGiB: 16 } });
    expect(input['ArrayProperties']).toEqual({ Size: 8 });
    expect(Command.slice(-2)).toEqual(['--shards', '8']);
    expectResource(weekly, 'AWS::Batch::ComputeEnvironment', {
      ComputeResources: { Type: 'FARGATE', MaxvCpus: 32 },
    });
  });

  test('is tried again, ends, has room for what it spills, and runs on the machines of the image', () => {
    expect(submitted({ architecture: 'arm64' }).definition).toMatchObject({
      RetryStrategy: { Attempts: 3 },
      Timeout: { AttemptDurationSeconds: 6 * 3600 },
      ContainerProperties: {
        EphemeralStorage: { SizeInGiB: 50 },
        RuntimePlatform: { CpuArchitecture: 'ARM64' },
      },
    });
  });

  test('knows nothing of the records, signs, and may do nothing but what a week takes', () => {
    const { weekly, definition } = submitted();
    expect(JSON.stringify(definition)).not.toMatch(/RECORDS|PGPASSWORD/);
    expect((definition['ContainerProperties'] as Secretive).Secrets).toEqual([
      { Name: 'SIGNING_KEY', ValueFrom: example['signingKeyArn'] },
    ]);
    const [, role] = Object.entries(resources(weekly, 'AWS::IAM::Role')).find(([name]) =>
      name.startsWith('WeekRole'),
    )!;
    expect((role.Properties['ManagedPolicyArns'] as unknown[]).map(textOf)).toEqual([
      expect.stringContaining('WeeklyAccess'),
    ]);
  });
});

/** Who may assume the ingest role of a deployment. */
function trusted(changes: Record<string, unknown> = {}): string[] {
  const [role] = Object.values(resources(deployed(changes).template('ingest'), 'AWS::IAM::Role'));
  expect((role!.Properties['ManagedPolicyArns'] as unknown[]).map(textOf)).toEqual([
    expect.stringContaining('IngestAccess'),
  ]);
  const { Statement } = role!.Properties['AssumeRolePolicyDocument'] as {
    Statement: { Principal: { AWS: unknown } }[];
  };
  return Statement.map(({ Principal }) => textOf(Principal.AWS));
}

test('ingest is a role that only the named may assume, and the whole account if nobody is named', () => {
  expect(trusted()).toEqual(['arn:aws:iam::<AWS::AccountId>:root']);
  const tracker = 'arn:aws:iam::111122223333:role/tracker';
  expect(trusted({ ingestPrincipals: [tracker] })).toEqual([tracker]);
});
