import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { IService } from 'kubernetes-models/v1/Service';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../lib/config.ts';
import { pageText } from '../../docs/pages.ts';
import { describeWith } from '../../support/requires.ts';
import {
  containersOf,
  isOurs,
  kustomizations,
  named,
  podsOf,
  programOf,
  render,
  settingsOf,
} from './manifests.ts';
import type { Manifest, Pods } from './manifests.ts';
import { absentReferences, selectorsOf } from './references.ts';

const root = join(import.meta.dirname, '../../..');
const imageFile = readFileSync(join(root, 'infra/Dockerfile'), 'utf8');

const isIn = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([label, value]) => labels[label] === value);

describeWith(['kubectl'], 'references', () => {
  describe.each(kustomizations)('within %s', (path) => {
    let manifests: Manifest[];
    let pods: Pods[];
    const gatewayDeployment = () =>
      named(manifests, 'Deployment', 'sightline-gateway') as unknown as IDeployment;
    beforeAll(async () => {
      manifests = await render(path);
      pods = podsOf(manifests);
    });

    test('every selector matches pods', () => {
      const selectors = manifests.flatMap(selectorsOf);
      expect(selectors.length).toBeGreaterThan(6);
      const idle = selectors.filter(({ matches }) => !pods.some(({ labels }) => isIn(matches, labels)));
      expect(idle).toEqual([]);
    });

    test('the services, the budget and the deployment select the gateway’s pods, and no others', () => {
      const gateway = pods.find(({ manifest }) => manifest.kind === 'Deployment');
      const kinds = new Set(['Service', 'PodDisruptionBudget', 'Deployment']);
      const selectors = manifests.filter(({ kind }) => kinds.has(kind)).flatMap(selectorsOf);
      // The deployment's own, two of its spread, those of two services and the budget's.
      expect(selectors.map(({ matches }) => matches)).toEqual(Array(6).fill(gateway!.labels));
      expect(new Set(pods.map(({ labels }) => JSON.stringify(labels))).size).toBe(pods.length);
    });

    test('named ports exist', () => {
      const deployment = gatewayDeployment();
      const [container] = deployment.spec!.template.spec!.containers;
      const ports = container!.ports!.map(({ name }) => name);
      const { startupProbe, livenessProbe, readinessProbe } = container!;
      const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.httpGet!);
      expect(probes.map(({ path: asked, port }) => [asked, port])).toEqual([
        ['/healthz', 'metrics'],
        ['/healthz', 'metrics'],
        ['/readyz', 'metrics'], // readiness
      ]);
      const services = manifests.filter(({ kind }) => kind === 'Service') as unknown as IService[];
      const targets = services.flatMap(({ spec }) => spec!.ports!.map(({ targetPort }) => targetPort));
      expect(ports).toEqual(['http', 'metrics']);
      expect(new Set(targets)).toEqual(new Set(ports));
      for (const port of namedPolicyPorts(manifests)) expect(ports).toContain(port);
    });

    test('the autoscaler has its deployment, which sets no number of replicas', () => {
      const scaler = named(manifests, 'HorizontalPodAutoscaler', 'sightline-gateway');
      const { scaleTargetRef, minReplicas } = (scaler as unknown as IHorizontalPodAutoscaler).spec;
      const { metadata, spec } = gatewayDeployment();
      expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: metadata!.name });
      expect(spec!.replicas).toBeUndefined();
      expect(minReplicas).toBeGreaterThan(1);
    });

    test('referenced objects exist, or the page lists them as prerequisites', () => {
      const rows = pageText('docs/install.md').split('<!-- brought to Kubernetes -->\n\n')[1]!;
      const brought = [...rows.split('\n\n')[0]!.matchAll(/^\| (\w+) `([\w-]+)`/gm)];
      const listed = brought.map(([, kind, name]) => `${kind} ${name}`);
      // The overlay generates the first two from files, and has a Gateway that needs a certificate.
      const made = ['ConfigMap sightline-public-key', 'Secret sightline-records'];
      const absent = absentReferences(manifests);
      const expected =
        path === 'base' ? [...made, ...listed.filter((name) => name !== 'Secret sightline-tls')] : listed;
      expect(absent).toEqual(new Set(expected));
      expect(listed).toEqual(listed.toSorted((a, b) => (a < b ? -1 : 1)));
    });

    test('settings are known and parse, name files that are mounted, and ports that are open', () => {
      for (const { spec } of pods) {
        for (const container of containersOf(spec).filter(isOurs)) {
          const settings = settingsOf(manifests, container);
          const config = readConfig(settings);
          // AWS_* are settings of the SDK, NODE_* of Node; some others are substituted into arguments.
          const ours = Object.keys(settings).filter(
            (name) => !/^(?:AWS|NODE)_/.test(name) && !container.args!.includes(`$(${name})`),
          );
          expect(programOf(container, settings).args.join(' ')).not.toContain('$(');
          expect(Object.keys(config)).toEqual(expect.arrayContaining(ours));
          const files = [
            config.SIGNING_KEY_FILE,
            config.PUBLIC_KEY_FILE,
            settings['NODE_EXTRA_CA_CERTS']!,
          ].filter((file) => file !== undefined);
          const mounts = container.volumeMounts!.map(({ mountPath }) => `${mountPath}/`);
          for (const file of files) expect(mounts.some((mount) => file.startsWith(mount))).toBe(true);
          const ports = (container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]);
          const expected = [
            ['http', config.PORT],
            ['metrics', config.METRICS_PORT],
          ];
          expect(ports).toEqual(container.name === 'gateway' ? expected : []);
        }
      }
    });

    test('a stopping pod has the time to drain and to finish requests in flight', () => {
      const deployment = gatewayDeployment();
      const { terminationGracePeriodSeconds, containers } = deployment.spec!.template.spec!;
      const { DRAIN_SECONDS, SHUTDOWN_SECONDS } = readConfig(settingsOf(manifests, containers[0]!));
      // Load balancers of common clouds take up to ten seconds to notice that a pod is gone.
      expect(DRAIN_SECONDS).toBeGreaterThanOrEqual(10);
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(DRAIN_SECONDS! + SHUTDOWN_SECONDS + 5);
    });

    test('the image is started by its own entry point, with existing commands', () => {
      expect(imageFile).toContain('ENTRYPOINT ["tini", "--", "sightline"]');
      const containers = pods.flatMap(({ spec }) => containersOf(spec)).filter(isOurs);
      expect(containers.filter(({ command }) => command !== undefined)).toEqual([]);
      const files = containers.map((container) => programOf(container).file);
      expect(new Set(files)).toEqual(
        new Set(['gateway/main.ts', 'gateway/records/commands/cli.ts', 'jobs/cli.ts', 'snapshots/cli.ts']),
      );
      for (const file of files) expect(existsSync(join(root, file))).toBe(true);
    });

    test('runs as the user of the image', () => {
      const [, user] = /^USER (\d+):\1$/m.exec(imageFile.split('FROM').at(-1)!)!;
      const ids = pods.map(({ spec }) => spec.securityContext!);
      expect(new Set(ids.flatMap((id) => [id.runAsUser, id.runAsGroup, id.fsGroup]))).toEqual(
        new Set([Number(user)]),
      );
    });

    test('the weekly job has as many shards as indexes, and no index stops another', () => {
      const { spec } = named(manifests, 'CronJob', 'sightline-weekly') as unknown as ICronJob;
      const { completions, completionMode, parallelism, ...job } = spec.jobTemplate.spec!;
      const { args, name } = job.template.spec!.containers[0]!;
      expect(args!.slice(0, 4)).toEqual(['job', 'weekly', '--shards', String(completions)]);
      // Every shard and every run of the week is as of Monday's first: later ones publish what was delivered late.
      expect(spec.schedule).toBe('0 6-22/2 * * *');
      expect(args!.slice(4, 8)).toEqual(['--due', '0 6 * * 1', '--timezone', spec.timeZone]);
      expect(args!.slice(8, 10)).toEqual(['--require-complete', '90']);
      expect({ completionMode, parallelism }).toEqual({
        completionMode: 'Indexed',
        parallelism: completions,
      });
      expect(job.maxFailedIndexes).toBe(completions);
      expect(job.backoffLimitPerIndex).toBeGreaterThan(0);
      expect(job.template.spec!.restartPolicy).toBe('Never'); // or the policy for failures is refused
      const ofExitCodes = job.podFailurePolicy!.rules.flatMap(({ onExitCodes }) => onExitCodes ?? []);
      expect(ofExitCodes).toMatchObject([{ containerName: name, values: [2] }]);
      expect(spec).toMatchObject({ timeZone: 'Etc/UTC', concurrencyPolicy: 'Forbid' });
    });

    test('verification is not retried if the store is not intact, and is if it could not be read', () => {
      const { spec } = named(manifests, 'CronJob', 'sightline-verify') as unknown as ICronJob;
      const { backoffLimit, podFailurePolicy, template } = spec.jobTemplate.spec!;
      expect(backoffLimit).toBeGreaterThan(0);
      const containerName = template.spec!.containers[0]!.name;
      expect(podFailurePolicy!.rules.map(({ action, onExitCodes }) => [action, onExitCodes])).toEqual([
        ['Ignore', undefined],
        ['FailJob', { containerName, operator: 'In', values: [1, 2] }],
      ]);
      expect(template.spec!.restartPolicy).toBe('Never'); // or the policy for failures is refused
    });

    test('only the weekly job has the key that signs, and all of them name the same log', () => {
      const signing = pods.filter(({ spec }) =>
        (spec.volumes ?? []).some(({ secret }) => secret?.secretName === 'sightline-signing-key'),
      );
      expect(signing.map(({ manifest }) => manifest.metadata.name)).toEqual(['sightline-weekly']);
      const withStore = pods
        .flatMap(({ spec }) => containersOf(spec))
        .map((container) => settingsOf(manifests, container))
        .filter(({ STORE_URL }) => STORE_URL !== undefined);
      expect(withStore).toHaveLength(4);
      const origin = path === 'base' ? 'sightline.example/log' : 'api.example.com/log';
      expect(new Set(withStore.map(({ LOG_ORIGIN }) => LOG_ORIGIN))).toEqual(new Set([origin]));
    });

    test('all pods run the same image, in the example with its own tag; only the backup runs others', () => {
      const containers = pods.flatMap(({ spec }) => containersOf(spec));
      const images = new Set(containers.filter(isOurs).map(({ image }) => image));
      expect([...images]).toEqual([path === 'base' ? 'sightline' : 'registry.example.com/sightline:0.1.0']);
      const others = containers.filter((container) => !isOurs(container));
      expect(others.map(({ name, image }) => `${name} ${/^[\w/]+/.exec(image!)![0]}`)).toEqual([
        'dump postgres',
        'copy rclone/rclone',
      ]);
    });

    test('a gateway has the memory that docs/operations.md asks for', () => {
      const [, megabytes] = /container of 512 MiB \(\[measured\]\([^)]*\)\): give it (\d+)\./.exec(
        pageText('docs/operations.md').replaceAll('\n', ' ').replaceAll(/ +/g, ' '),
      )!;
      const [container] = gatewayDeployment().spec!.template.spec!.containers;
      expect(container!.resources!.limits!['memory']).toBe(`${megabytes}Mi`);
    });
  });
});

function namedPolicyPorts(manifests: readonly Manifest[]): string[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const text = JSON.stringify(policies);
  return [...text.matchAll(/"port":"([^"]+)"/g)].map(([, name]) => name!);
}
