import { Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnBucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';

const WHY = 'Objects of one kind share a prefix; their keys are made when they are written.';

/** What one role may do with the objects of the buckets, beside which it may do nothing with them. */
export class ObjectAccess extends ManagedPolicy {
  constructor(scope: Construct, id: string, description: string) {
    super(scope, id, { description });
  }

  /** Reads objects and lists them: without the list, S3 answers 403 for what is missing, and the programs stop. */
  reads(bucket: IBucket, keys: readonly string[] = ['*']): this {
    this.addStatements(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }));
    return this.#allow('s3:GetObject', bucket, keys);
  }

  /** Creates objects that are not there yet, and cannot write over those that are. */
  creates(bucket: IBucket, keys: readonly string[]): this {
    return this.#allow('s3:PutObject', bucket, keys, 's3:if-none-match');
  }

  /** Replaces objects, and only those that are still what the writer has read. */
  replaces(bucket: IBucket, keys: readonly string[]): this {
    return this.#allow('s3:PutObject', bucket, keys, 's3:if-match');
  }

  /** Puts a delete marker before an object; its versions stay, and stay locked where they are. */
  deletes(bucket: IBucket, keys: readonly string[]): this {
    return this.#allow('s3:DeleteObject', bucket, keys);
  }

  /** @param header which the request has to carry, by its condition key. */
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
