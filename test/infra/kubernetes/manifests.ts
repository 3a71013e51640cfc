import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parse, parseAllDocuments } from 'yaml';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

/** `base` alone, and the example that people copy. */
export const kustomizations = ['base', 'overlays/example'] as const;

/** The output of `kubectl kustomize` for a folder in infra/kubernetes. */
export async function render(path: (typeof kustomizations)[number]): Promise<Manifest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-kustomize-'));
  try {
    await cp(join(root, 'infra/kubernetes'), folder, { recursive: true });
    if (await isOld()) await inOldWords(join(folder, path, 'kustomization.yaml'));
    const { stdout, stderr } = await run('kubectl', ['kustomize', join(folder, path)]);
    if (stderr !== '') throw new Error(stderr); // deprecated fields, for example
    return readManifests(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads YAML as kubectl does: 0440 is octal. */
function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS() as Manifest;
  });
}

/** The kubectl of Debian 12 is 1.20; its kustomize has `bases` for folders in `resources`, and `env` for `envs`. */
async function isOld(): Promise<boolean> {
  const { stdout } = await run('kubectl', ['version', '--client', '-o', 'json']);
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { minor: string } };
  return Number.parseInt(clientVersion.minor, 10) < 21;
}

const isFolder = (resource: string) => !resource.endsWith('.yaml');

async function inOldWords(path: string): Promise<void> {
  const file = parse(await readFile(path, 'utf8')) as {
    resources: string[];
    secretGenerator?: { name: string; envs: string[] }[];
  };
  const resources = file.resources.filter((resource) => !isFolder(resource));
  const secretGenerator = (file.secretGenerator ?? []).map(({ name, envs }) => ({ name, env: envs[0] }));
  const bases = file.resources.filter(isFolder);
  await writeFile(path, JSON.stringify({ ...file, resources, bases, secretGenerator }));
}

export interface Pods {
  manifest: Manifest;
  spec: IPodSpec;
}

interface Workload {
  template?: { spec: IPodSpec };
  jobTemplate?: { spec: { template: { spec: IPodSpec } } };
}

/** The pods that manifests start. */
export function podsOf(manifests: readonly Manifest[]): Pods[] {
  return manifests.flatMap((manifest) => {
    const { template, jobTemplate } = (manifest.spec ?? {}) as Workload;
    const found = template ?? jobTemplate?.spec.template;
    return found === undefined ? [] : [{ manifest, spec: found.spec }];
  });
}

/** True for a container of our own image; the backup's two are of others. */
export function isOurs({ image }: IContainer): boolean {
  return /(?:^|\/)sightline(?::|$)/.test(image!);
}

export function containersOf(spec: IPodSpec): IContainer[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

export function named(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** The settings that a container gets from ConfigMaps and values, without those of secrets. */
export function settingsOf(manifests: readonly Manifest[], container: IContainer): Record<string, string> {
  const maps = (container.envFrom ?? []).flatMap(({ configMapRef }) =>
    configMapRef?.name === undefined ? [] : [named(manifests, 'ConfigMap', configMapRef.name).data ?? {}],
  );
  const values = (container.env ?? []).flatMap(({ name, value }) =>
    value === undefined ? [] : [{ [name]: value }],
  );
  return Object.assign({}, ...maps, ...values) as Record<string, string>;
}

/**
 * The program and its arguments that the image's command starts for `args`.
 * @param settings the values that the kubelet substitutes for `$(NAME)`
 */
export function programOf(
  { args = [] }: IContainer,
  settings: Record<string, string> = {},
): { file: string; args: string[] } {
  const command = readFileSync(join(root, 'infra/sightline'), 'utf8');
  const [name, ...rest] = args.map((arg) =>
    arg.replaceAll(/\$\((\w+)\)/g, (whole, setting: string) => settings[setting] ?? whole),
  );
  const file = new RegExp(`^ *${name}\\) program=(\\S+).* ;;$`, 'm').exec(command)?.[1];
  if (file === undefined) throw new Error(`infra/sightline knows no command ${name}`);
  return { file, args: rest };
}
