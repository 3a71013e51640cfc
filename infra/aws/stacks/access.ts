import { Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnBucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';

const WHY = 'Objects of one kind share a prefix; their keys are made when they are written.';

/** The only permissions of one role on the objects of the buckets. */
export class ObjectAccess extends ManagedPolicy {
  constructor(scope: Construct, id: string, description: string) {
    super(scope, id, { description });
  }

  /** Reads and lists objects. Without the right to list, S3 returns 403 for missing objects, and the programs fail. */
  reads(bucket: IBucket, keys: readonly string[] = ['*']): this {
    this.addStatements(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }));
    return this.#allow('s3:GetObject', bucket, keys);
  }

  /** Creates new objects; cannot overwrite existing ones. */
  creates(bucket: IBucket, keys: readonly string[]): this {
    return this.#allow('s3:PutObject', bucket, keys, 's3:if-none-match');
  }

  /** Replaces objects, if they are unchanged since the writer has read them. */
  replaces(bucket: IBucket, keys: readonly string[]): this {
    return this.#allow('s3:PutObject', bucket, keys, 's3:if-match');
  }

  /** Adds a delete marker to an object; its versions stay, and stay locked. */
  deletes(bucket: IBucket, keys: readonly string[]): this {
    return this.#allow('s3:DeleteObject', bucket, keys);
  }

  /** @param header the condition key of a header that the request must have */
  #allow(action: string, bucket: IBucket, keys: readonly string[], header?: string): this {
    const resources = keys.map((key) => bucket.arnForObjects(key));
    const conditions = header === undefined ? {} : { Null: { [header]: 'false' } };
    this.addStatements(new PolicyStatement({ actions: [action], resources, conditions }));
    const name = Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnBucket);
    for (const key of keys.filter((text) => text.includes('*')))
      accept(this, { [`IAM5[Resource::<${name}.Arn>/${key}]`]: WHY });
    return this;
  }
}
