import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { textOf } from '../house/files.ts';
import { makeDebian, runIn } from './debian.ts';
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
 * @throws Error for an instruction that the tests cannot execute
 */
export async function buildImage(root: string): Promise<Image> {
  const none = { ports: [], entrypoint: [], cmd: [] };
  const image: Image = { root, workdir: '/', user: '0:0', environment: { PATH }, ...none };
  const text = textOf('infra/Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '');
  for (const line of text.trim().split('\n')) {
    const [, keyword, value] = /^(\w+) (.*)$/.exec(line)!;
    await carryOut(keyword!, value!, image);
  }
  return image;
}

async function carryOut(keyword: string, value: string, image: Image): Promise<void> {
  switch (keyword) {
    case 'FROM': {
      const [, suite] = /^debian:([a-z]+)-slim@sha256:[0-9a-f]{64}$/.exec(value)!;
      await makeDebian(image.root, suite!);
      return;
    }
    case 'ADD': {
      const [, target] = /^dist\/sightline-\*\.tar\.gz (\S+)$/.exec(value)!;
      const file = packedIn(await sharedRelease());
      await promisify(execFile)('tar', ['-xf', file, '-C', join(image.root, target!)]);
      return;
    }
    case 'RUN':
      await runIn(image.root, value, { ...machineOf(image), online: true });
      return;
    case 'WORKDIR':
      image.workdir = value;
      await mkdir(join(image.root, value), { recursive: true });
      return;
    case 'USER':
      image.user = value;
      return;
    case 'ENV':
      for (const [, name, text] of value.matchAll(/(\w+)=(\S+)/g)) image.environment[name!] = text!;
      return;
    case 'LABEL':
      return;
    case 'EXPOSE':
      image.ports.push(...value.split(' '));
      return;
    case 'ENTRYPOINT':
    case 'CMD':
      // There may be no shell, which the form without brackets needs.
      image[keyword === 'CMD' ? 'cmd' : 'entrypoint'] = JSON.parse(value) as string[];
      return;
    default:
      throw new Error(`${keyword}: unknown here`);
  }
}

export function machineOf(image: Image): { options: string[]; environment: Record<string, string> } {
  return { options: [`--chdir=${image.workdir}`], environment: image.environment };
}
