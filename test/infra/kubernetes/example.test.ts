import { basename } from 'node:path';
import type { IGateway } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/Gateway';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IService } from 'kubernetes-models/v1/Service';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWith } from '../../support/requires.ts';
import { containersOf, isOurs, named, podsOf, render, settingsOf } from './manifests.ts';
import type { Manifest } from './manifests.ts';

describeWith(['kubectl'], 'references', () => {
  describe('of the example', () => {
    const example = 'overlays/example';
    let manifests: Manifest[];
    beforeAll(async () => {
      manifests = await render(example);
    });

    test('route TLS clients to the service of the gateway, and redirect HTTP to HTTPS', () => {
      const { spec } = named(manifests, 'Gateway', 'sightline') as unknown as IGateway;
      const service = named(manifests, 'Service', 'sightline') as unknown as IService;
      const routes = manifests.filter(({ kind }) => kind === 'HTTPRoute') as unknown as IHTTPRoute[];
      const ways = routes.flatMap(({ spec: { parentRefs, hostnames, rules } }) => {
        const [{ name: parent, sectionName }] = parentRefs as [IParent];
        expect(parent).toBe('sightline');
        const listener = spec.listeners.find(({ name }) => name === sectionName)!;
        expect([listener.hostname]).toEqual(hostnames);
        return rules!.map(({ backendRefs, filters }) => [
          listener.protocol,
          ...(backendRefs ?? []).map(({ name, port }) => `${name}:${port}`),
          ...(filters ?? []).map(({ requestRedirect }) => requestRedirect!.scheme),
        ]);
      });
      expect(service.spec!.ports!.map(({ port }) => port)).toEqual([80]);
      expect(ways).toEqual([
        ['HTTPS', `${service.metadata!.name}:80`],
        ['HTTP', 'https'],
      ]);
    });

    test('give gateways, jobs and the verification the same public keys', () => {
      const files = podsOf(manifests).flatMap(({ spec }) =>
        containersOf(spec)
          .filter(isOurs)
          .flatMap((container) => {
            const file = settingsOf(manifests, container)['PUBLIC_KEY_FILE'];
            return file === undefined ? [] : [[container.name, basename(file)]];
          }),
      );
      expect(Object.fromEntries(files)).toEqual({
        gateway: 'public.pem',
        weekly: 'public.pem',
        verify: 'public.pem',
      });
      const keys = manifests.find(({ metadata }) => metadata.name.startsWith('sightline-public-key-'))!;
      expect(Object.keys(keys.data!)).toEqual(['public.pem']);
    });

    test('let every pod that runs our image trust a private authority', () => {
      const ours = podsOf(manifests).flatMap(({ spec }) => containersOf(spec).filter(isOurs));
      for (const container of ours)
        expect(settingsOf(manifests, container)['NODE_EXTRA_CA_CERTS']).toBe('/run/sightline/ca/ca.pem');
    });

    test.each<[string, (text: string) => string]>([
      ['kustomization.yaml', (text) => text.replace('AWS_REGION=eu-west-1', 'AWS_REGION=eu-west-2')],
      ['public.pem', (text) => `${text}another key`],
      ['ca.pem', (text) => `${text}another authority`],
      ['records.env', (text) => text.replace('PASSWORD', 'another')],
    ])('restart the gateways only if %s was changed', async (file, change) => {
      const before = JSON.stringify(named(manifests, 'Deployment', 'sightline-gateway'));
      const [same, changed] = await Promise.all(
        [{}, { [`${example}/${file}`]: change }].map(async (changes) =>
          JSON.stringify(named(await render(example, changes), 'Deployment', 'sightline-gateway')),
        ),
      );
      expect(same).toBe(before);
      expect(changed).not.toBe(before);
    });
  });
});

interface IParent {
  name: string;
  sectionName?: string;
}
