import {
  ContainerDependencyCondition,
  FargateTaskDefinition,
  LogDriver,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import type { ContainerDefinition, ContainerDefinitionOptions, Secret } from 'aws-cdk-lib/aws-ecs';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { accept } from '../accept.ts';
import type { Parameters } from '../parameters.ts';
import { architectureOf, imageOf } from './image.ts';
import type { RecordsStack } from './records.ts';

const FOLDER = '/authorities';
const FILE = `${FOLDER}/records.pem`;

export interface TaskProps {
  parameters: Parameters;
  records: RecordsStack;
  logGroup: LogGroup;
  /** In Fargate's units: 1024 is a core; memory in MiB. */
  cpu: number;
  memoryMiB: number;
  /** Arguments of the image's entry point. */
  command: string[];
  environment: Record<string, string>;
  secrets?: Record<string, Secret>;
  container: Partial<ContainerDefinitionOptions>;
}

/**
 * A task of our image that connects to the records. Node reads additional certificate authorities from a file only
 * (NODE_EXTRA_CA_CERTS), and Fargate cannot mount files: an init container writes them to a volume.
 */
export class RecordsTask extends FargateTaskDefinition {
  readonly container: ContainerDefinition;

  constructor(scope: Construct, id: string, props: TaskProps) {
    const { parameters, records } = props;
    super(scope, id, {
      cpu: props.cpu,
      memoryLimitMiB: props.memoryMiB,
      runtimePlatform: {
        cpuArchitecture: architectureOf(parameters),
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      volumes: [{ name: 'authorities' }],
    });
    const image = imageOf(this, parameters);
    const logging = LogDriver.awsLogs({ logGroup: props.logGroup, streamPrefix: id.toLowerCase() });
    const authorities = this.addContainer('Authorities', {
      image,
      logging,
      essential: false,
      user: '0', // the volume belongs to root
      readonlyRootFilesystem: true,
      entryPoint: ['node'],
      command: ['--eval', `require('node:fs').writeFileSync('${FILE}', process.env.RECORDS_AUTHORITY)`],
      environment: { RECORDS_AUTHORITY: parameters.recordsAuthority },
    });
    authorities.addMountPoints({ containerPath: FOLDER, sourceVolume: 'authorities', readOnly: false });
    this.container = this.addContainer('Sightline', {
      image,
      logging,
      readonlyRootFilesystem: true,
      command: props.command,
      environment: {
        ...props.environment,
        AWS_REGION: parameters.region,
        RECORDS_URL: records.url,
        NODE_EXTRA_CA_CERTS: FILE,
      },
      secrets: { PGPASSWORD: records.password, ...props.secrets },
      ...props.container,
    });
    this.container.addMountPoints({ containerPath: FOLDER, sourceVolume: 'authorities', readOnly: true });
    this.container.addContainerDependencies({
      container: authorities,
      condition: ContainerDependencyCondition.SUCCESS,
    });
    accept(this, {
      ECS2: 'Settings are no secrets; the password of the records and the signing key come from Secrets Manager.',
      'IAM5[Resource::*]':
        'The one action on everything is ecr:GetAuthorizationToken, which knows no resources.',
    });
  }
}
