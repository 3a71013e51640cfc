import { CfnResource, Validations } from 'aws-cdk-lib';
import type { App } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { deployed } from './deployed.ts';

/** Collects all findings, including accepted ones. */
function allFindings(app: App): AwsSolutionsChecks {
  return Object.defineProperty(new AwsSolutionsChecks(app), 'isAcknowledged', { value: () => false });
}

const deployments = {
  'of the example': {},
  'without a way to the internet': { egress: 'endpoints', log: { origin: 'api.example.com/log' } },
  'with one copy of the records, a name, shards, ARM and compliance': {
    records: { copies: 1 },
    domain: { name: 'api.example.com', zone: 'example.com', zoneId: 'Z0123456789' },
    weekly: { shards: 8 },
    architecture: 'arm64',
    lock: { mode: 'compliance', days: 3650 },
    ingestPrincipals: ['arn:aws:iam::111122223333:role/tracker'],
  },
};

describe.each(Object.entries(deployments))('a deployment %s', (_name, changes) => {
  const { app, stacks } = deployed(changes);

  test('is synthesised: the security rules and CloudFormation’s schemas report only accepted findings', () => {
    const { directory } = app.synth();
    expect(directory).not.toBe('');
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
  });

  test('needs no lookups, builds nothing, and deploys no code of its own', () => {
    const assembly = app.synth();
    expect(assembly.manifest.missing ?? []).toEqual([]);
    for (const { stackName } of Object.values(stacks)) {
      const { template, assets } = assembly.getStackByName(stackName);
      expect(assets).toEqual([]);
      expect(JSON.stringify(template)).not.toMatch(
        /AWS::Lambda::|Custom::|AWS::CloudFormation::CustomResource/,
      );
    }
  });

  test('accepts only findings that exist, with a reason', () => {
    const found = allFindings(app)
      .validateScope(app)
      .violations.flatMap(({ ruleName, violatingResources }) =>
        violatingResources.map((resource) => ({
          ruleName,
          path: (resource as { constructPath: string }).constructPath,
        })),
      );
    const accepted = acceptedIn(app);
    expect(accepted.length).toBeGreaterThan(5);
    const idle = accepted.filter(
      ({ id, path }) => !found.some((one) => one.ruleName === id && `${one.path}/`.startsWith(`${path}/`)),
    );
    expect(idle).toEqual([]);
    expect(accepted.filter(({ reason }) => !/^\p{Lu}.{30,}\.$/u.test(reason))).toEqual([]);
  });
});

test('a finding that is not accepted stops the synthesis', () => {
  const { app, stacks } = deployed();
  new Bucket(stacks.storage, 'Careless');
  expect(() => app.synth()).toThrow('Storage/Careless');
});

interface Accepted {
  path: string;
  id: string;
  reason: string;
}

function acceptedIn(app: App): Accepted[] {
  return app.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([id, reason]) => ({ path: pathOf(construct), id: id.replace(/^annotation::/i, ''), reason }))
      .filter(({ id }) => id.startsWith('AwsSolutions-')),
  );
}

function pathOf(construct: IConstruct): string {
  return CfnResource.isCfnResource(construct) ? construct.node.scope!.node.path : construct.node.path;
}
