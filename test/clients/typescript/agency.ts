import { onTestFinished } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import type { SightlineOptions } from '../../../clients/typescript/src/index.ts';
import type { Brands } from '../../../lib/documents/brands.ts';
import { logInMemory, startListeningGateway, workspaceId } from '../../gateway/gateway.ts';
import type { ListeningGateway } from '../../gateway/gateway.ts';
import { acme, publishBrands } from '../../gateway/snapshots.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startWire } from './wire.ts';
import type { Wire } from './wire.ts';

export interface Agency {
  gateway: ListeningGateway;
  wire: Wire;
  brands: Brands;
  snapshotId: string;
  /** A client with the agency's key, behind the wire. */
  client: (options?: Partial<SightlineOptions>) => Sightline;
}

/** Brands with ids and names that count up from 1. */
export function numberedBrands(count: number): Brands {
  return Array.from({ length: count }, (_, index) => ({
    ...acme,
    id: `0b5ef0a4-3a6e-4f0f-9c57-${String(index + 1).padStart(12, '0')}`,
    name: `Brand ${index + 1}`,
  }));
}

/** An agency with this many brands, a gateway that serves them, and a wire before it; all end with the test. */
export async function startAgency(count: number, requestsPerMinute = 1_000_000): Promise<Agency> {
  const gateway = await startListeningGateway(
    { now: () => Date.now() },
    { requestsPerMinute, log: await logInMemory(await temporaryFolder()) },
  );
  onTestFinished(() => gateway.close());
  const brands = numberedBrands(count);
  const snapshotId = await publishBrands(gateway.log, workspaceId, brands, '2026-11-17T06:00:00.000Z');
  await gateway.documents.refresh();
  const wire = await startWire(gateway.base);
  onTestFinished(() => wire.close());
  const client = (options: Partial<SightlineOptions> = {}): Sightline =>
    new Sightline({ baseUrl: wire.url, apiKey: gateway.key, ...options });
  return { gateway, wire, brands, snapshotId, client };
}
