import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { deployed, expectResource, resources } from './deployed.ts';
import { allows } from './iam.ts';

const template = deployed().template('storage');
const buckets = Object.entries(resources(template, 'AWS::S3::Bucket'));

describe('every bucket', () => {
  test.each(buckets)(
    '%s is private, encrypted, outlives its stack, and cleans up broken uploads',
    (_name, bucket) => {
      expect(bucket).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
        Properties: {
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
        },
      });
      expect(JSON.stringify(bucket.Properties['LifecycleConfiguration'])).toContain(
        'AbortIncompleteMultipartUpload',
      );
    },
  );
});

describe('the store', () => {
  const [, store] = buckets.find(([name]) => name.startsWith('Store'))!;

  test('keeps every version, and locks it for a year', () => {
    expect(store.Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 365 } } },
    });
  });

  test('is locked as the parameters say', () => {
    const other = deployed({ lock: { mode: 'compliance', days: 3650 } });
    expectResource(other.template('storage'), 'AWS::S3::Bucket', {
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 3650 } } },
    });
  });
});

describe('colder storage', () => {
  interface Rule {
    Id: string;
    Prefix?: string;
    ObjectSizeGreaterThan?: number;
    ExpirationInDays?: number;
    Transitions?: { StorageClass: string; TransitionInDays: number }[];
  }
  const rules = buckets
    .filter(([name]) => !name.startsWith('Logs'))
    .flatMap(([, { Properties }]) => (Properties['LifecycleConfiguration'] as { Rules: Rule[] }).Rules);

  test('has immediate access, and does not contain pointers or newest snapshots', () => {
    const colder = rules.filter(({ Transitions }) => Transitions !== undefined);
    expect(colder.map(({ Prefix }) => Prefix)).toEqual(['workspaces/', 'runs/']);
    for (const { Transitions, ObjectSizeGreaterThan } of colder) {
      expect(Transitions).toEqual([{ StorageClass: 'GLACIER_IR', TransitionInDays: 90 }]);
      expect(ObjectSizeGreaterThan).toBe(128 * 1024);
    }
  });

  test('no current object is deleted by age', () => {
    expect(rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)).toEqual([]);
  });
});

describe('permissions on objects', () => {
  const pointer = 'Store/workspaces/w/current.json';
  const document = 'Store/workspaces/w/snapshots/s/brands/b/visibility.json';
  const tombstone = 'Store/workspaces/w/tombstones/s.json';
  const entry = 'Store/log/tile/0/000.p/1';
  const checkpoint = 'Store/log/checkpoint';
  const committed = 'Lake/log/committed.json';
  const staged = 'Lake/log/staged/1-0123456789abcdef.json';
  const state = 'State/verify.json';
  const runs = 'Lake/runs/cycle=2026-11-16/0123456789abcdef.parquet';
  const base = 'Lake/bases/v1/all/through=2026-11-16/0123/fact.json';
  const fact = 'Lake/facts/v1/all/cycle=2026-11-16/0123/names-0123456789abcdef.parquet';
  const read = { action: 's3:GetObject' };
  const write = { action: 's3:PutObject' };
  const create = { ...write, header: 's3:if-none-match' as const };
  const replace = { ...write, header: 's3:if-match' as const };
  const remove = { action: 's3:DeleteObject' };

  const every = { read, write, create, replace, remove };
  type Verb = keyof typeof every;
  const nothing: Verb[] = [];
  const rights: Record<string, Record<string, Verb[]>> = {
    GatewayAccess: {
      [pointer]: ['read'],
      [document]: ['read'],
      [tombstone]: ['read'],
      [entry]: ['read'],
      [runs]: nothing,
      [base]: nothing,
      [state]: nothing,
    },
    WeeklyAccess: {
      [pointer]: ['read', 'create', 'replace'],
      [document]: ['read', 'create'],
      [runs]: ['read'],
      [fact]: ['read', 'create', 'remove'],
      [base]: ['read', 'create', 'remove'],
      [checkpoint]: ['read'],
      [committed]: ['read'],
      [state]: nothing,
    },
    LogAccess: {
      [pointer]: ['read'],
      [document]: ['read'],
      [entry]: ['read', 'create'],
      [checkpoint]: ['read', 'create', 'replace'],
      [committed]: ['read', 'create', 'replace'],
      [staged]: ['read', 'create', 'remove'],
      [state]: nothing,
    },
    VerifyAccess: {
      [pointer]: ['read'],
      [document]: ['read'],
      [checkpoint]: ['read'],
      [runs]: nothing,
      [state]: ['read', 'create', 'replace'],
    },
    IngestAccess: { [pointer]: nothing, [document]: nothing, [runs]: ['read', 'create'], [base]: ['read'] },
    OperatorAccess: {
      [pointer]: ['read'],
      [document]: ['read', 'remove'],
      [tombstone]: ['read', 'create'],
      [runs]: ['read'],
      [base]: ['read'],
      [checkpoint]: ['read'],
      [state]: nothing,
    },
  };

  const cases = Object.entries(rights).flatMap(([policy, objects]) =>
    Object.entries(objects).map(([object, verbs]) => ({ policy, object, verbs })),
  );

  test.each(cases)('$policy: $object, $verbs and nothing else', ({ policy, object, verbs }) => {
    const allowed = Object.entries(every).filter(([, wish]) => allows(template, policy, wish, object));
    expect(allowed.map(([verb]) => verb)).toEqual(verbs);
  });

  test('no role may delete a version, shorten a lock, or change a bucket', () => {
    const policies = JSON.stringify(resources(template, 'AWS::IAM::ManagedPolicy'));
    expect(new Set(policies.match(/s3:[A-Z]\w+/g))).toEqual(
      new Set(['s3:GetObject', 's3:ListBucket', 's3:PutObject', 's3:DeleteObject']),
    );
  });

  test.each([{ Bool: { 'aws:SecureTransport': 'false' } }, { NumericLessThan: { 's3:TlsVersion': 1.2 } }])(
    'every bucket denies all requests if %j',
    (Condition) => {
      const denied = Match.arrayWith([Match.objectLike({ Effect: 'Deny', Action: 's3:*', Condition })]);
      const policies = template.findResources('AWS::S3::BucketPolicy', {
        Properties: { PolicyDocument: { Statement: denied } },
      });
      expect(Object.keys(policies)).toHaveLength(buckets.length);
    },
  );
});
