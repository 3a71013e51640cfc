import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Secret as EcsSecret } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { GatewayProps } from './gateway.ts';
import { RecordsTask } from './task.ts';

const IDLE_MINUTES = 60;

/**
 * A task that sleeps for an hour, in which an operator runs `records` and `audit`: the database cannot be reached from
 * outside of the network. Its sessions are not logged, because they show new keys. It runs only when it is started.
 */
export class OperatorStack extends Stack {
  readonly task: RecordsTask;

  constructor(scope: Construct, id: string, props: GatewayProps) {
    super(scope, id, props);
    const { parameters, network, storage, records } = props;
    this.task = new RecordsTask(this, 'Operator', {
      parameters,
      records,
      cpu: 1024,
      memoryMiB: 4096,
      logGroup: new LogGroup(this, 'Log', {
        retention: RetentionDays.ONE_MONTH,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
      command: ['sleep', `${IDLE_MINUTES}m`],
      environment: {
        STORE_URL: `s3://${storage.store.bucketName}`,
        LAKE_URL: `s3://${storage.lake.bucketName}`,
        LOG_ORIGIN: parameters.log.origin,
        PUBLIC_KEY: parameters.publicKeys,
      },
      // `audit prune` signs its tombstones.
      secrets: {
        SIGNING_KEY: EcsSecret.fromSecretsManager(
          Secret.fromSecretCompleteArn(this, 'SigningKey', parameters.signingKeyArn),
        ),
      },
      container: {
        entryPoint: ['tini', '--'],
        readonlyRootFilesystem: false, // the agent of the session writes to it
      },
    });
    this.#allow(props);
    const subnets = network.vpc.selectSubnets(network.tasks.vpcSubnets).subnetIds;
    new CfnOutput(this, 'TaskDefinition', { value: this.task.taskDefinitionArn });
    new CfnOutput(this, 'Subnets', { value: subnets.join(',') });
    new CfnOutput(this, 'SecurityGroup', { value: network.gateway.securityGroupId });
  }

  #allow({ storage }: GatewayProps): void {
    const { taskRole } = this.task;
    taskRole.addManagedPolicy(storage.access.operator);
    taskRole.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['CreateControlChannel', 'CreateDataChannel', 'OpenControlChannel', 'OpenDataChannel'].map(
          (action) => `ssmmessages:${action}`,
        ),
        resources: ['*'],
      }),
    );
    accept(taskRole, { 'IAM5[Resource::*]': 'The channels of a session have no names before it is opened.' });
  }
}
