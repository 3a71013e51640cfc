import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../../docs/pages.ts';

const run = promisify(execFile);

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

/** The output of `kubectl kustomize` for a folder in infra/kubernetes: `base`, or the example that people copy. */
export async function render(path: 'base' | 'overlays/example'): Promise<Manifest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-kustomize-'));
  try {
    await cp(join(root, 'infra/kubernetes'), folder, { recursive: true });
    if (await isOld()) await inOldWords(join(folder, path, 'kustomization.yaml'));
    const { stdout, stderr } = await run('kubectl', ['kustomize', join(folder, path)]);
    if (stderr !== '') throw new Error(stderr); // deprecated fields, for example
    // As kubectl reads YAML: 0440 is octal.
    return parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS() as Manifest);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The kubectl of Debian 12 is 1.20; its kustomize has `bases` for folders in `resources`, and `env` for `envs`. */
async function isOld(): Promise<boolean> {
  const { stdout } = await run('kubectl', ['version', '--client', '-o', 'json']);
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { minor: string } };
  return Number.parseInt(clientVersion.minor, 10) < 21;
}

async function inOldWords(path: string): Promise<void> {
  const file = parse(await readFile(path, 'utf8')) as {
    resources: string[];
    secretGenerator?: { name: string; envs: string[] }[];
  };
  const secretGenerator = (file.secretGenerator ?? []).map(({ name, envs }) => ({ name, env: envs[0] }));
  const [resources, bases] = [true, false].map((isFile) =>
    file.resources.filter((resource) => resource.endsWith('.yaml') === isFile),
  );
  await writeFile(path, JSON.stringify({ ...file, resources, bases, secretGenerator }));
}

interface Workload {
  template?: { spec: IPodSpec };
  jobTemplate?: { spec: { template: { spec: IPodSpec } } };
}

/** The containers that manifests start, each with the name of its manifest. */
export function containersOf(manifests: readonly Manifest[]): { of: string; container: IContainer }[] {
  return manifests.flatMap(({ metadata, spec = {} }) => {
    const { template, jobTemplate } = spec as Workload;
    const pod = (template ?? jobTemplate?.spec.template)?.spec;
    const containers = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
    return containers.map((container) => ({ of: metadata.name, container }));
  });
}

/** The settings that a container gets from ConfigMaps and values, without those of secrets. */
export function settingsOf(manifests: readonly Manifest[], container: IContainer): Record<string, string> {
  const maps = (container.envFrom ?? []).map(
    ({ configMapRef }) =>
      manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name)
        ?.data,
  );
  const values = (container.env ?? []).flatMap(({ name, value }) =>
    value === undefined ? [] : [{ [name]: value }],
  );
  return Object.assign({}, ...maps, ...values) as Record<string, string>;
}
