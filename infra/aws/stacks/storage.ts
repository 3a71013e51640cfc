import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  ObjectLockRetention,
  ObjectOwnership,
  StorageClass,
} from 'aws-cdk-lib/aws-s3';
import type { BucketProps, LifecycleRule } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { keys, STATE_KEY } from '../project.ts';
import { ObjectAccess } from './access.ts';

const closed: BucketProps = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  removalPolicy: RemovalPolicy.RETAIN,
};

/** Removes parts of aborted multipart uploads; the project itself makes none. */
const tidy: LifecycleRule = {
  id: 'broken-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};

/** Replaced or deleted versions stay for a month, and for as long as they are locked. */
const forget: LifecycleRule = {
  id: 'replaced-and-deleted',
  noncurrentVersionExpiration: Duration.days(30),
  expiredObjectDeleteMarker: true,
};

/**
 * The snapshot store, the lake, the state of the verification, and a bucket for the others' access logs. All outlive
 * the stack.
 */
export class StorageStack extends Stack {
  readonly logs: Bucket;
  readonly store: Bucket;
  readonly lake: Bucket;
  /** The state of the nightly verification: no role that can write to the store can write to it. */
  readonly state: Bucket;
  /** The permissions of each role on the objects of store and lake. There are no others. */
  readonly access: Record<'gateway' | 'weekly' | 'log' | 'verify' | 'ingest' | 'operator', ObjectAccess>;

  constructor(scope: Construct, id: string, props: StackProps & { parameters: Parameters }) {
    super(scope, id, { ...props, terminationProtection: true });
    this.logs = new Bucket(this, 'Logs', {
      ...closed,
      lifecycleRules: [tidy, { id: 'old-logs', expiration: Duration.days(90) }],
    });
    this.store = new Bucket(this, 'Store', {
      ...closed,
      versioned: true,
      objectLockEnabled: true,
      objectLockDefaultRetention: retention(props.parameters.lock),
      lifecycleRules: [tidy, forget, colder('old-snapshots', 'workspaces/', 90)],
      serverAccessLogsBucket: this.logs,
      serverAccessLogsPrefix: 'store/',
    });
    this.lake = new Bucket(this, 'Lake', {
      ...closed,
      versioned: true,
      lifecycleRules: [tidy, forget, colder('old-runs', 'runs/', 90)],
      serverAccessLogsBucket: this.logs,
      serverAccessLogsPrefix: 'lake/',
    });
    this.state = new Bucket(this, 'State', {
      ...closed,
      versioned: true,
      lifecycleRules: [tidy],
      serverAccessLogsBucket: this.logs,
      serverAccessLogsPrefix: 'state/',
    });
    for (const bucket of [this.store, this.lake])
      accept(bucket, {
        'CloudFormation-Validate::W9003': 'CloudFormation takes the size as a number too, as CDK writes it.',
      });
    this.access = this.#access();
  }

  #access() {
    const { store, lake, state } = this;
    const access = (id: string, description: string) => new ObjectAccess(this, `${id}Access`, description);
    return {
      gateway: access('Gateway', 'reads what is published').reads(store, [
        keys.pointers,
        keys.snapshots,
        keys.tombstones,
        keys.log,
      ]),
      // In the lake it writes only what it can compute again; it deletes no snapshot.
      weekly: access('Weekly', 'reads the lake and publishes')
        .reads(lake)
        .creates(lake, [keys.probe, keys.facts, keys.bases, keys.heads])
        .replaces(lake, [keys.probe, keys.heads])
        .deletes(lake, [keys.facts, keys.bases])
        .reads(store)
        .creates(store, [keys.probe, keys.pointers, keys.snapshots, keys.inputs])
        .replaces(store, [keys.probe, keys.pointers]),
      log: access('Log', 'appends to the transparency log')
        .reads(lake)
        .creates(lake, [keys.probe, keys.committed, keys.staged])
        .replaces(lake, [keys.probe, keys.committed])
        .deletes(lake, [keys.staged])
        .reads(store)
        .creates(store, [keys.probe, keys.log])
        .replaces(store, [keys.probe, keys.checkpoint]),
      verify: access('Verify', 'verifies the store')
        .reads(store)
        .reads(state)
        .creates(state, [keys.probe, STATE_KEY])
        .replaces(state, [keys.probe, STATE_KEY]),
      ingest: access('Ingest', 'adds to the lake')
        .reads(lake)
        .creates(lake, [keys.probe, ...keys.deliveries])
        .replaces(lake, [keys.probe]),
      // `audit prune` deletes documents, whose locked versions stay, and writes tombstones.
      operator: access('Operator', 'audits and prunes')
        .reads(lake)
        .reads(store)
        .creates(store, [keys.probe, keys.tombstones])
        .replaces(store, [keys.probe])
        .deletes(store, [keys.snapshots, keys.inputs]),
    };
  }
}

function retention({ mode, days }: Parameters['lock']): ObjectLockRetention {
  const period = Duration.days(days);
  return mode === 'compliance'
    ? ObjectLockRetention.compliance(period)
    : ObjectLockRetention.governance(period);
}

/**
 * A storage class with immediate access, which auditor, gateway and job need: archives that must be restored first
 * would break them. Objects that are read often do not move: pointers and newest snapshots are about a week old, and
 * pointers are smaller than the 128 KiB from which moving saves money.
 */
function colder(id: string, prefix: string, days: number): LifecycleRule {
  return {
    id,
    prefix,
    objectSizeGreaterThan: Size.kibibytes(128).toBytes(),
    transitions: [
      { storageClass: StorageClass.GLACIER_INSTANT_RETRIEVAL, transitionAfter: Duration.days(days) },
    ],
  };
}
