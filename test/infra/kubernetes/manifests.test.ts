import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../lib/config.ts';
import { tableAfter } from '../../docs/pages.ts';
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
import { absentReferences } from './references.ts';

describeWith(['kubectl'], 'manifests', () => {
  describe.each(kustomizations)('of %s', (path) => {
    let manifests: Manifest[];
    let pods: Pods[];
    beforeAll(async () => {
      manifests = await render(path);
      pods = podsOf(manifests);
    });

    test('refer to objects that exist, or that the page lists as prerequisites', () => {
      const listed = tableAfter('docs/kubernetes.md', 'brought to Kubernetes').map(([object]) => object!);
      // The overlay generates these two from files, and its Gateway needs the certificate.
      const made = ['ConfigMap sightline-public-key', 'Secret sightline-records'];
      const expected =
        path === 'base' ? [...made, ...listed.filter((name) => name !== 'Secret sightline-tls')] : listed;
      expect(absentReferences(manifests)).toEqual(new Set(expected));
    });

    test('have settings that are known and parse, and files that are mounted', () => {
      for (const container of pods.flatMap(({ spec }) => containersOf(spec)).filter(isOurs)) {
        const settings = settingsOf(manifests, container);
        const config = readConfig(settings);
        const ours = Object.keys(settings).filter(
          (name) => !/^(?:AWS|NODE)_/.test(name) && !container.args!.includes(`$(${name})`),
        );
        expect(Object.keys(config)).toEqual(expect.arrayContaining(ours));
        expect(programOf(container, settings).args.join(' ')).not.toContain('$(');
        const files = [config.SIGNING_KEY_FILE, config.PUBLIC_KEY_FILE, settings['NODE_EXTRA_CA_CERTS']];
        const mounts = container.volumeMounts!.map(({ mountPath }) => `${mountPath}/`);
        for (const file of files.filter((each) => each !== undefined))
          expect(mounts.some((mount) => file.startsWith(mount))).toBe(true);
      }
    });

    test('run pods without root, capabilities, tokens or a writable disk but a limited /tmp', () => {
      expect(pods).toHaveLength(5);
      for (const { spec } of pods) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 10_001,
            seccompProfile: { type: 'RuntimeDefault' },
          },
        });
        expect(spec.volumes!.find(({ name }) => name === 'tmp')!.emptyDir!.sizeLimit).toBeDefined();
        for (const { securityContext, volumeMounts, resources } of containersOf(spec)) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          const writable = volumeMounts!.filter(({ readOnly }) => readOnly !== true);
          expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
          expect(resources!.limits!['memory']).toBeDefined();
        }
      }
    });

    test('give a stopping gateway the time to drain and to finish', () => {
      const { spec } = named(manifests, 'Deployment', 'sightline-gateway') as unknown as IDeployment;
      const { terminationGracePeriodSeconds: grace, containers } = spec!.template.spec!;
      const { DRAIN_SECONDS, SHUTDOWN_SECONDS } = readConfig(settingsOf(manifests, containers[0]!));
      // Load balancers of common clouds take up to ten seconds to notice that a pod is gone.
      expect(DRAIN_SECONDS).toBeGreaterThanOrEqual(10);
      expect(grace).toBeGreaterThanOrEqual(DRAIN_SECONDS! + SHUTDOWN_SECONDS + 5);
    });

    test('have as many shards as indexes, of which none stops another', () => {
      const { spec } = named(manifests, 'CronJob', 'sightline-weekly') as unknown as ICronJob;
      const { completions, completionMode, parallelism, ...job } = spec.jobTemplate.spec!;
      const { args, name } = job.template.spec!.containers[0]!;
      const due = ['--due', '0 6 * * 1', '--timezone', spec.timeZone];
      expect(args!.slice(0, 8)).toEqual(['job', 'weekly', '--shards', String(completions), ...due]);
      expect({ completionMode, parallelism }).toEqual({
        completionMode: 'Indexed',
        parallelism: completions,
      });
      expect(job).toMatchObject({ maxFailedIndexes: completions, backoffLimitPerIndex: 3 });
      const codes = job.podFailurePolicy!.rules.flatMap(({ onExitCodes }) => onExitCodes ?? []);
      expect(codes).toMatchObject([{ containerName: name, values: [2] }]);
    });

    test('give the signing key to the weekly job only', () => {
      const signing = pods.filter(({ spec }) =>
        spec.volumes!.some(({ secret }) => secret?.secretName === 'sightline-signing-key'),
      );
      expect(signing.map(({ manifest }) => manifest.metadata.name)).toEqual(['sightline-weekly']);
    });
  });
});
