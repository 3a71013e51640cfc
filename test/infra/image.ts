import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeDebian, runIn } from './debian.ts';
import { readDockerfile } from './dockerfile.ts';
import type { Step } from './dockerfile.ts';
import { packedIn, sharedRelease } from './release.ts';

/** An image as a root folder, and its options for running programs. */
export interface Image {
  root: string;
  workdir: string;
  user: string;
  environment: Record<string, string>;
  ports: string[];
  entrypoint: string[];
  cmd: string[];
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Carries out infra/Dockerfile step by step, as an image builder would, in a folder: there is none on the machines that
 * run these tests. The image that it begins with is a Debian made by mmdebstrap, the release is that of this project.
 */
export async function buildImage(root: string): Promise<Image> {
  const none = { ports: [], entrypoint: [], cmd: [] };
  const image: Image = { root, workdir: '/', user: '0:0', environment: { PATH }, ...none };
  for (const step of readDockerfile('infra/Dockerfile')) await carryOut(step, image);
  return image;
}

async function carryOut(step: Step, image: Image): Promise<void> {
  switch (step.kind) {
    case 'from': {
      const [, suite] = /^debian:([a-z]+)-slim@sha256:[0-9a-f]{64}$/.exec(step.image) ?? [];
      if (suite === undefined) throw new Error(`${step.image}: unknown here`);
      await makeDebian(image.root, suite);
      return;
    }
    case 'add': {
      if (step.source !== 'dist/sightline-*.tar.gz') throw new Error(`ADD ${step.source}: unknown here`);
      const file = packedIn(await sharedRelease());
      await promisify(execFile)('tar', [
        '--extract',
        '--file',
        file,
        '--directory',
        join(image.root, step.target),
      ]);
      return;
    }
    case 'run':
      await runIn(image.root, step.script, { ...machineOf(image), online: true });
      return;
    case 'workdir':
      image.workdir = step.value;
      await mkdir(join(image.root, step.value), { recursive: true });
      return;
    case 'user':
      image.user = step.value;
      return;
    case 'env':
      Object.assign(image.environment, step.variables);
      return;
    case 'label':
      return;
    case 'expose':
      image.ports.push(...step.ports);
      return;
    case 'entrypoint':
    case 'cmd':
      image[step.kind] = step.command;
  }
}

/** The command as the image's user, without new privileges. */
export function asUser({ user }: Image, command: readonly string[], options: readonly string[]): string[] {
  const [uid, gid] = user.split(':');
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...options, '--', ...command];
}

export function machineOf(image: Image): { options: string[]; environment: Record<string, string> } {
  return { options: [`--chdir=${image.workdir}`], environment: image.environment };
}
