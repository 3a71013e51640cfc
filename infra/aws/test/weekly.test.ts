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

/** The job that the schedule of a deployment submits. */
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

  test('is that of the parameters, in their time zone, to the minute', () => {
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

  test('retries, and keeps submissions that failed', () => {
    expect(target).toMatchObject({
      RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 6 * 3600 },
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^Undelivered/), 'Arn'] } },
    });
  });
});

describe('the job', () => {
  test('of one shard is not an array job, which needs at least two', () => {
    const { input, Command } = submitted();
    expect(input).not.toHaveProperty('ArrayProperties');
    expect(Command).not.toContain('--shards');
  });

  test('of several shards is an array job of that size; all of them can run at once', () => {
    const { input, Command, weekly } = submitted({ weekly: { shards: 8, cpus: 4, memoryGiB: 16 } });
    expect(input['ArrayProperties']).toEqual({ Size: 8 });
    expect(Command.slice(-2)).toEqual(['--shards', '8']);
    expectResource(weekly, 'AWS::Batch::ComputeEnvironment', {
      ComputeResources: { Type: 'FARGATE', MaxvCpus: 32 },
    });
  });

  test('is retried, has a time limit and scratch space, and runs on the architecture of the image', () => {
    expect(submitted({ architecture: 'arm64' }).definition).toMatchObject({
      RetryStrategy: { Attempts: 3 },
      Timeout: { AttemptDurationSeconds: 6 * 3600 },
      ContainerProperties: {
        EphemeralStorage: { SizeInGiB: 50 },
        RuntimePlatform: { CpuArchitecture: 'ARM64' },
      },
    });
  });

  test('does not get the records, gets the signing key, and has only the permissions that it needs', () => {
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

test('the ingest role may be assumed by the configured principals, or by the account if there are none', () => {
  expect(trusted()).toEqual(['arn:aws:iam::<AWS::AccountId>:root']);
  const tracker = 'arn:aws:iam::111122223333:role/tracker';
  expect(trusted({ ingestPrincipals: [tracker] })).toEqual([tracker]);
});
