import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../../support/requires.ts';
import { kustomizations, podsOf, render, selects } from './manifests.ts';
import type { Manifest } from './manifests.ts';

type Direction = 'Ingress' | 'Egress';

/** The connections that the policies allow each kind of pod, as `WHERE PORT`; null if a direction is not restricted. */
function allowed(manifests: readonly Manifest[], direction: Direction): Record<string, string[] | null> {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as INetworkPolicy[];
  return Object.fromEntries(
    podsOf(manifests).map(({ labels, spec }) => {
      const mine = policies.filter(
        ({ spec: policy }) =>
          policy!.policyTypes!.includes(direction) && selects(policy!.podSelector!, labels),
      );
      const rules = mine.flatMap((policy) => rulesOf(policy, direction));
      return [spec.containers[0]!.name, mine.length === 0 ? null : rules];
    }),
  );
}

function rulesOf({ spec }: INetworkPolicy, direction: Direction): string[] {
  const rules =
    direction === 'Ingress'
      ? (spec!.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports }))
      : (spec!.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
  return rules.flatMap(({ peers, ports }) =>
    (peers ?? [null]).flatMap((peer) => {
      const namespace = peer?.namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'];
      const where = namespace ?? peer?.ipBlock?.cidr ?? 'anywhere';
      return (ports ?? [null]).map((port) => `${where} ${port?.protocol ?? 'any'} ${port?.port ?? 'any'}`);
    }),
  );
}

const names = ['kube-system UDP 53', 'kube-system TCP 53'];
const s3 = '0.0.0.0/0 TCP 443';
/** The fixed address of the agent of EKS Pod Identity. */
const podIdentity = '169.254.170.23/32 TCP 80';

describeWith(['kubectl'], 'network policies', () => {
  describe.each(kustomizations)('of %s', (path) => {
    let manifests: Manifest[];
    const isBase = path === 'base';
    beforeAll(async () => {
      manifests = await render(path);
    });

    test('allow Prometheus to read metrics and clients to reach the gateway, and nothing to reach the jobs', () => {
      expect(allowed(manifests, 'Ingress')).toEqual({
        gateway: [...(isBase ? [] : ['envoy-gateway-system TCP http']), 'monitoring TCP metrics'],
        copy: [],
        migrate: [],
        verify: [],
        weekly: [],
      });
    });

    test('allow pods to reach DNS, S3 and the credentials of their role, and only those that use them to reach the records', () => {
      const usual = isBase ? names : [...names, s3, podIdentity];
      const { gateway, migrate, copy, ...jobs } = allowed(manifests, 'Egress');
      expect(new Set(Object.keys(jobs))).toEqual(new Set(['verify', 'weekly']));
      for (const ways of Object.values(jobs)) expect(new Set(ways)).toEqual(new Set(usual));
      const withRecords = new Set(isBase ? names : [...usual, '10.20.0.0/24 TCP 5432']);
      for (const ways of [gateway, migrate, copy]) expect(new Set(ways)).toEqual(withRecords);
    });
  });

  test('deny pods the credentials of their node', async () => {
    const manifests = await render('overlays/example');
    const policies = manifests.filter(({ metadata }) => metadata.name === 'sightline-s3');
    const [policy] = policies as unknown as INetworkPolicy[];
    const { cidr, except } = policy!.spec!.egress![0]!.to![0]!.ipBlock!;
    expect(cidr).toBe('0.0.0.0/0');
    expect(except).toContain('169.254.0.0/16');
  });
});
