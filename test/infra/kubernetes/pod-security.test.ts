import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../../support/requires.ts';
import { containersOf, kustomizations, named, podsOf, render } from './manifests.ts';
import type { Manifest, Pods } from './manifests.ts';
import { violations } from './pod-security.ts';

describeWith(['kubectl'], 'pods', () => {
  describe.each(kustomizations)('of %s', (path) => {
    let manifests: Manifest[];
    let pods: Pods[];
    beforeAll(async () => {
      manifests = await render(path);
      pods = podsOf(manifests);
    });

    test('are the gateway, the migration, the weekly job, the verification and the backup', () => {
      const names = pods.map(({ manifest }) => manifest.metadata.name);
      expect(names.toSorted()).toEqual(
        ['backup', 'gateway', 'migrate', 'verify', 'weekly'].map((name) => `sightline-${name}`),
      );
    });

    test('pass the policy «restricted»', () => {
      expect(pods.flatMap(({ spec }) => violations(spec))).toEqual([]);
    });

    test('have no API token, and no settings that the cluster generates', () => {
      for (const { spec } of pods) {
        expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
        const account = named(manifests, 'ServiceAccount', spec.serviceAccountName!);
        expect(account).toMatchObject({ automountServiceAccountToken: false });
      }
    });

    test('can write only to /tmp, which has a size limit', () => {
      for (const { spec } of pods) {
        const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
        for (const { securityContext, volumeMounts } of containersOf(spec)) {
          expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true });
          const writable = volumeMounts!.filter(({ readOnly }) => readOnly !== true);
          expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
          expect(volumes.get(writable[0]!.name)?.emptyDir?.sizeLimit).toBeDefined();
        }
      }
    });

    test('have resource requests and a memory limit', () => {
      for (const { resources } of pods.flatMap(({ spec }) => containersOf(spec))) {
        expect(resources?.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
        expect(resources?.limits).toMatchObject({ memory: expect.anything() });
      }
    });
  });

  test('of the example run in a namespace that enforces the policy', async () => {
    const manifests = await render('overlays/example');
    const namespace = named(manifests, 'Namespace', 'sightline');
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const others = manifests.filter(({ kind }) => kind !== 'Namespace');
    expect(new Set(others.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['sightline']));
  });
});

describe('the policy «restricted» refuses', () => {
  const container = {
    name: 'c',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const context = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' as const } };
  const sound: IPodSpec = { securityContext: context, containers: [container] };
  const inContainer = (own: object): IPodSpec => ({
    ...sound,
    containers: [{ ...container, securityContext: { ...container.securityContext, ...own } }],
  });

  test('nothing in a sound pod', () => {
    expect(violations(sound)).toEqual([]);
  });

  test.each<[string, IPodSpec]>([
    ['hostNetwork', { ...sound, hostNetwork: true }],
    ['hostPID', { ...sound, hostPID: true }],
    ['hostIPC', { ...sound, hostIPC: true }],
    ['volumes', { ...sound, volumes: [{ name: 'v', hostPath: { path: '/' } }] }],
    ['sysctls', { ...sound, securityContext: { ...context, sysctls: [{ name: 'a', value: 'b' }] } }],
    ['runAsUser', { ...sound, securityContext: { ...context, runAsUser: 0 } }],
    ['c: runAsNonRoot', { ...sound, securityContext: { seccompProfile: context.seccompProfile } }],
    ['c: seccompProfile', { ...sound, securityContext: { runAsNonRoot: true } }],
    ['c: hostPort', { ...sound, containers: [{ ...container, ports: [{ containerPort: 1, hostPort: 1 }] }] }],
    ['c: privileged', inContainer({ privileged: true })],
    ['c: procMount', inContainer({ procMount: 'Unmasked' })],
    ['c: allowPrivilegeEscalation', inContainer({ allowPrivilegeEscalation: undefined })],
    ['c: runAsNonRoot', inContainer({ runAsNonRoot: false })],
    ['c: runAsUser', inContainer({ runAsUser: 0 })],
    ['c: seccompProfile', inContainer({ seccompProfile: { type: 'Unconfined' } })],
    ['c: capabilities.drop', inContainer({ capabilities: {} })],
    ['c: capabilities.add', inContainer({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } })],
  ])('%s', (name, spec) => {
    expect(violations(spec)).toEqual([name]);
  });
});
