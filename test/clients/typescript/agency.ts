import { onTestFinished } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import type { SightlineOptions } from '../../../clients/typescript/src/index.ts';
import { logInMemory, startListeningGateway, workspaceId } from '../../gateway/gateway.ts';
import { acme, publishBrands } from '../../gateway/snapshots.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Brands with ids and names that count up from 1. */
export function numberedBrands(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    ...acme,
    id: `0b5ef0a4-3a6e-4f0f-9c57-${String(index + 1).padStart(12, '0')}`,
    name: `Brand ${index + 1}`,
  }));
}

/** An agency with this many brands, and a gateway that serves them and ends with the test. */
export async function startAgency(count: number, requestsPerMinute = 1_000_000) {
  const gateway = await startListeningGateway(
    { now: () => Date.now() },
    { requestsPerMinute, log: await logInMemory(await temporaryFolder()) },
  );
  onTestFinished(() => gateway.close());
  /** Publishes these brands with all documents; returns the id of the snapshot. */
  const publish = async (brands: ReturnType<typeof numberedBrands>, asOf: string) => {
    const id = await publishBrands(gateway.log, workspaceId, brands, asOf, { isWhole: true });
    await gateway.documents.refresh();
    return id;
  };
  const brands = numberedBrands(count);
  const snapshotId = await publish(brands, '2026-11-17T06:00:00.000Z');
  /** The responses that clients got. */
  const exchanges: { path: string; status: number }[] = [];
  const recordingFetch: typeof fetch = async (address, init) => {
    const response = await fetch(address, init);
    exchanges.push({ path: new URL(address as string).pathname, status: response.status });
    return response;
  };
  /** A client with the agency's key. */
  const client = (options: Partial<SightlineOptions> = {}) =>
    new Sightline({ baseUrl: gateway.base, apiKey: gateway.key, fetch: recordingFetch, ...options });
  return { gateway, publish, brands, snapshotId, exchanges, client };
}
