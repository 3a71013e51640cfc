import { describe, expect, test } from 'vitest';
import { deployed, example, resources, textOf } from './deployed.ts';

interface Container {
  Command: unknown[];
  Environment: { Name: string; Value: unknown }[];
  Secrets?: { Name: string; ValueFrom: unknown }[];
}
const { template } = deployed({ weekly: { shards: 4, timeZone: 'Europe/Berlin' } });
const audit = template('audit');
const definitions = Object.entries(resources(audit, 'AWS::Batch::JobDefinition'));

/**
 * The container of a job, found by the beginning of its definition's name, and the schedules and rules that submit it.
 */
function containerOf(name: string): Container {
  const [, definition] = definitions.find(([id]) => id.startsWith(name))!;
  return definition.Properties['ContainerProperties'] as Container;
}

test('each night appends to the log and verifies the store an hour later, in the time zone of the week', () => {
  const schedules = Object.values(resources(audit, 'AWS::Scheduler::Schedule')).map(({ Properties }) => {
    const { Input } = Properties['Target'] as { Input: unknown };
    const { JobName, JobDefinition } = JSON.parse(textOf(Input)) as Record<string, string>;
    const { ScheduleExpression, ScheduleExpressionTimezone } = Properties;
    return [JobName, JobDefinition!.slice(0, 7), ScheduleExpression, ScheduleExpressionTimezone];
  });
  expect(schedules).toEqual([
    ['log', '<LogDef', 'cron(30 1 * * ? *)', 'Europe/Berlin'],
    ['verify', '<Verify', 'cron(30 2 * * ? *)', 'Europe/Berlin'],
  ]);
});

test('each run of the weekly job, also a failed one, is followed by one append to the log, not one per shard', () => {
  const [rule] = Object.values(resources(audit, 'AWS::Events::Rule'));
  const { EventPattern, Targets } = rule!.Properties as {
    EventPattern: { detail: Record<string, unknown> };
    Targets: { BatchParameters: { JobName: string; JobDefinition: unknown } }[];
  };
  expect(EventPattern.detail).toMatchObject({
    status: ['SUCCEEDED', 'FAILED'],
    arrayProperties: { index: [{ exists: false }] },
  });
  expect(textOf((EventPattern.detail['jobQueue'] as unknown[])[0])).toMatch(/^<Jobs\w+JobQueueArn\w+>$/);
  expect(Targets).toMatchObject([{ BatchParameters: { JobName: 'log' } }]);
  expect(textOf(Targets[0]!.BatchParameters.JobDefinition)).toMatch(/^<LogDefinition/);
});

describe('the verification', () => {
  test('keeps its state in a separate bucket, and reads all documents within thirty nights', () => {
    expect(containerOf('Verify').Command.map(textOf)).toEqual([
      'audit',
      'verify',
      '--state',
      expect.stringMatching(/^s3:\/\/<State\w+>\/verify\.json$/) as string,
      '--read-data-subset',
      'today/30',
    ]);
  });

  test('does not retry if the store is not intact, and retries if it could not be read', () => {
    const [, definition] = definitions.find(([id]) => id.startsWith('Verify'))!;
    expect(definition.Properties['RetryStrategy']).toEqual({
      Attempts: 3,
      EvaluateOnExit: [
        { Action: 'EXIT', OnExitCode: '1' },
        { Action: 'EXIT', OnExitCode: '2' },
      ],
    });
  });

  test('gets no secret', () => {
    expect(containerOf('Verify').Secrets ?? []).toEqual([]);
  });
});

test('the log gets its origin, its time-stamp authority and the key', () => {
  const { Environment, Secrets } = containerOf('Log');
  expect(Environment).toEqual(
    expect.arrayContaining([
      { Name: 'LOG_ORIGIN', Value: 'api.example.com/log' },
      { Name: 'TIMESTAMP_URL', Value: 'https://freetsa.org/tsr' },
    ]),
  );
  expect(Environment.map(({ Name }) => Name)).not.toContain('WITNESS_URLS');
  expect(Secrets).toEqual([{ Name: 'SIGNING_KEY', ValueFrom: example['signingKeyArn'] }]);
});

test('the log gets the witnesses, if there are any', () => {
  const log = { origin: 'a.example/log', witnessUrls: ['https://one.example/w', 'https://two.example/w'] };
  const witnessed = Object.values(
    resources(deployed({ log }).template('audit'), 'AWS::Batch::JobDefinition'),
  );
  expect(JSON.stringify(witnessed)).toContain('https://one.example/w https://two.example/w');
});

test.each([
  ['Log', 'LogAccess'],
  ['Verify', 'VerifyAccess'],
])('%s has only the permissions on objects that it needs', (name, policy) => {
  const [, role] = Object.entries(resources(audit, 'AWS::IAM::Role')).find(([id]) =>
    id.startsWith(`${name}Role`),
  )!;
  expect((role.Properties['ManagedPolicyArns'] as unknown[]).map(textOf)).toEqual([
    expect.stringContaining(policy),
  ]);
});
