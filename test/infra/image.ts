import { execFile } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root as project } from '../docs/pages.ts';
import { projectFiles } from '../house/files.ts';
import { makeDebian, runIn } from './debian.ts';
import { readDockerfile } from './dockerfile.ts';
import type { Step } from './dockerfile.ts';

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

const exec = promisify(execFile);

/**
 * Carries out infra/Dockerfile step by step, as an image builder would, in folders below `folder`: there is none on
 * the machines that run these tests. The images that it begins with are a Debian made by mmdebstrap.
 */
export async function buildImage(folder: string): Promise<Image> {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const step of readDockerfile('infra/Dockerfile')) {
    if (step.kind === 'from') {
      const name = step.stage ?? 'final';
      image = newImage(join(folder, name));
      await makeBase(step.image, image.root);
      stages.set(name, image);
    } else {
      await carryOut(step, image!, stages);
    }
  }
  return image!;
}

function newImage(root: string): Image {
  const none = { ports: [], entrypoint: [], cmd: [] };
  return { root, workdir: '/', user: '0:0', environment: {}, ...none };
}

/** @throws Error for an image that is neither Debian nor the pinned Node's major version on it. */
async function makeBase(image: string, root: string): Promise<void> {
  const [, node, suite] = /^(?:node:(\d+)-|debian:)([a-z]+)-slim@sha256:[0-9a-f]{64}$/.exec(image) ?? [];
  if (suite === undefined) throw new Error(`${image}: unknown here`);
  await makeDebian(root, suite, node === undefined ? [] : ['libatomic1']);
  if (node === undefined) return;
  if (node !== process.versions.node.split('.')[0]) throw new Error(`${image} is not of our Node's version`);
  await cp(process.execPath, join(root, 'usr/local/bin/node'));
  await exec('npm', ['install', '--global', '--prefix', join(root, 'usr/local'), 'npm@11']);
}

async function carryOut(
  step: Exclude<Step, { kind: 'from' }>,
  image: Image,
  stages: Map<string, Image>,
): Promise<void> {
  switch (step.kind) {
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
    case 'run': {
      const command = asUser(image, ['sh', '-euc', step.script], []).map(quoted).join(' ');
      await runIn(image.root, command, { ...machineOf(image), online: true });
      return;
    }
    case 'copy':
      await copy(step, image, stages);
      return;
    case 'entrypoint':
    case 'cmd':
      image[step.kind] = step.command;
  }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

async function copy(
  { from, sources, target }: Extract<Step, { kind: 'copy' }>,
  image: Image,
  stages: Map<string, Image>,
): Promise<void> {
  const to = join(image.root, target.startsWith('/') ? '' : image.workdir, target);
  if (from !== null) {
    await mkdir(dirname(to), { recursive: true });
    await exec('cp', ['-R', '--preserve=mode,links', join(stages.get(from)!.root, sources[0]!), to]);
    return; // copied files belong to root
  }
  const files = await contextFiles();
  for (const source of sources) {
    const matching = files.filter((path) => path === source || path.startsWith(`${source}/`));
    if (matching.length === 0) throw new Error(`COPY ${source}: there is no such file for the builder`);
    for (const path of matching) {
      const name = path === source ? path.split('/').at(-1)! : path.slice(source.length + 1);
      await cp(join(project, path), join(to, name), { recursive: true });
    }
  }
}

/** The paths that the builder gets. Of .dockerignore it supports only our format: everything is excluded but these. */
async function contextFiles(): Promise<string[]> {
  const lines = (await readFile(join(project, '.dockerignore'), 'utf8')).split('\n');
  const [all, ...kept] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || kept.some((line) => !/^![\w./-]+$/.test(line))) {
    throw new Error('.dockerignore: has more than * and !PATH, unknown here');
  }
  const paths = kept.map((line) => line.slice(1));
  return projectFiles().filter((file) => paths.some((path) => file === path || file.startsWith(`${path}/`)));
}

/** The command as the image's user, without new privileges. */
export function asUser({ user }: Image, command: readonly string[], options: readonly string[]): string[] {
  const [uid, gid] = user.split(':');
  if (uid === '0') return [...command];
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...options, '--', ...command];
}

export function machineOf(image: Image): { options: string[]; environment: Record<string, string> } {
  return { options: [`--chdir=${image.workdir}`], environment: image.environment };
}
