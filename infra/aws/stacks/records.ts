import { Duration, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { StackProps } from 'aws-cdk-lib';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import { Secret } from 'aws-cdk-lib/aws-ecs';
import {
  Credentials,
  DatabaseInstance,
  DatabaseInstanceEngine,
  ParameterGroup,
  PostgresEngineVersion,
  StorageType,
} from 'aws-cdk-lib/aws-rds';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { ports } from '../project.ts';
import type { NetworkStack } from './network.ts';

const NAME = 'sightline';

/** The records in PostgreSQL: keys, plans, allowances. They cannot be recomputed, so they are backed up. */
export class RecordsStack extends Stack {
  readonly database: DatabaseInstance;

  constructor(
    scope: Construct,
    id: string,
    props: StackProps & { parameters: Parameters; network: NetworkStack },
  ) {
    super(scope, id, { ...props, terminationProtection: true });
    const { parameters, network } = props;
    const { size, storageGiB, copies, backupDays } = parameters.records;
    const engine = DatabaseInstanceEngine.postgres({ version: PostgresEngineVersion.VER_18 });
    this.database = new DatabaseInstance(this, 'Records', {
      engine,
      vpc: network.vpc,
      vpcSubnets: network.recordsSubnets,
      securityGroups: [network.records],
      publiclyAccessible: false,
      port: ports.postgres,
      instanceType: new InstanceType(size),
      multiAz: copies === 2,
      databaseName: NAME,
      credentials: Credentials.fromGeneratedSecret(NAME),
      parameterGroup: new ParameterGroup(this, 'Settings', {
        engine,
        description: 'connections without TLS are refused',
        parameters: { 'rds.force_ssl': '1' },
      }),
      storageType: StorageType.GP3,
      allocatedStorage: storageGiB,
      maxAllocatedStorage: storageGiB * 5,
      storageEncrypted: true,
      backupRetention: Duration.days(backupDays),
      copyTagsToSnapshot: true,
      deleteAutomatedBackups: false,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.SNAPSHOT,
      autoMinorVersionUpgrade: true,
      enablePerformanceInsights: false,
    });
    this.#accept(copies);
  }

  /** Without the password, which the driver takes from `PGPASSWORD`. `verify-full` checks the server's certificate. */
  get url(): string {
    const { instanceEndpoint } = this.database;
    return Fn.join('', [
      'postgres://',
      NAME,
      '@',
      instanceEndpoint.socketAddress,
      `/${NAME}?sslmode=verify-full`,
    ]);
  }

  get password(): Secret {
    return Secret.fromSecretsManager(this.database.secret!, 'password');
  }

  #accept(copies: number): void {
    accept(this.database, {
      RDS11:
        'Another port hides nothing: only the security group of the gateway reaches the database at all.',
      SMG4: 'Gateways read the password when they start. It is changed by the steps in README.md, which end with a new start.',
      ...(copies === 2
        ? {}
        : {
            RDS3: 'This deployment chose one copy (records.copies), and with it an outage when its zone fails.',
          }),
    });
  }
}
