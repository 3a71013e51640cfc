import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import { AccountRootPrincipal, ArnPrincipal, CompositePrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';
import type { StorageStack } from './storage.ts';

/** The role that a tracker assumes to run `ingest` on its own machines: it can add to the lake, and nothing else. */
export class IngestStack extends Stack {
  readonly role: Role;

  constructor(
    scope: Construct,
    id: string,
    props: StackProps & { parameters: Parameters; storage: StorageStack },
  ) {
    super(scope, id, props);
    const { storage, parameters } = props;
    const principals = parameters.ingestPrincipals.map((arn) => new ArnPrincipal(arn));
    this.role = new Role(this, 'Ingest', {
      description: 'adds drops to the lake of Sightline',
      assumedBy: principals.length === 0 ? new AccountRootPrincipal() : new CompositePrincipal(...principals),
      maxSessionDuration: Duration.hours(4),
    });
    this.role.addManagedPolicy(storage.access.ingest);
    new CfnOutput(this, 'Role', { value: this.role.roleArn });
    new CfnOutput(this, 'LakeUrl', { value: `s3://${storage.lake.bucketName}` });
  }
}
