import type { IGateway } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { containersOf, podsOf } from './manifests.ts';
import type { Manifest, Pods } from './manifests.ts';

/** `KIND NAME` of every object that the manifests refer to but do not contain, once each. */
export function absentReferences(manifests: readonly Manifest[]): Set<string> {
  const present = new Set(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const certificates = manifests.flatMap((manifest) =>
    manifest.kind === 'Gateway' ? certificatesOf(manifest as unknown as IGateway) : [],
  );
  const wanted = [
    ...podsOf(manifests).flatMap(referencesOf),
    ...certificates.map((name) => `Secret ${name}`),
  ];
  return new Set(wanted.filter((name) => !present.has(name)));
}

function certificatesOf({ spec }: IGateway): string[] {
  return spec.listeners.flatMap(({ tls }) => (tls?.certificateRefs ?? []).map(({ name }) => name));
}

function referencesOf({ spec }: Pods): string[] {
  const volumes = (spec.volumes ?? []).flatMap(({ configMap, secret }) => [
    ...(configMap === undefined ? [] : [`ConfigMap ${configMap.name}`]),
    ...(secret === undefined ? [] : [`Secret ${secret.secretName}`]),
  ]);
  return [
    `ServiceAccount ${spec.serviceAccountName}`,
    ...volumes,
    ...containersOf(spec).flatMap(ofEnvironment),
  ];
}

function ofEnvironment({ envFrom = [], env = [] }: IContainer): string[] {
  const whole = envFrom.flatMap(({ configMapRef, secretRef }) => [
    ...(configMapRef === undefined ? [] : [`ConfigMap ${configMapRef.name}`]),
    ...(secretRef === undefined ? [] : [`Secret ${secretRef.name}`]),
  ]);
  const single = env.flatMap(({ valueFrom }) =>
    valueFrom?.secretKeyRef === undefined ? [] : [`Secret ${valueFrom.secretKeyRef.name}`],
  );
  return [...whole, ...single];
}
