import { Repository } from 'aws-cdk-lib/aws-ecr';
import { ContainerImage, CpuArchitecture } from 'aws-cdk-lib/aws-ecs';
import type { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';

/** The image by name, without building or lookups. Roles that run it get the right to pull it. */
export function imageOf(scope: Construct, { repository, tag }: Parameters): ContainerImage {
  return ContainerImage.fromEcrRepository(Repository.fromRepositoryName(scope, 'Image', repository), tag);
}

export function architectureOf({ architecture }: Parameters): CpuArchitecture {
  return architecture === 'arm64' ? CpuArchitecture.ARM64 : CpuArchitecture.X86_64;
}
