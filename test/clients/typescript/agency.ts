import { onTestFinished } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import type { SightlineOptions } from '../../../clients/typescript/src/index.ts';
import { setPlan, startListeningGateway, workspaceId } from '../../gateway/gateway.ts';
import { numberedBrands, publishBrands } from '../../gateway/snapshots.ts';

/** An agency with this many brands, and a gateway that serves them and ends with the test. */
export async function startAgency(count: number, requestsPerMinute = 1_000_000) {
  const gateway = await startListeningGateway();
  onTestFinished(() => gateway.close());
  await setPlan(gateway.records, workspaceId, 'agency', requestsPerMinute);
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
