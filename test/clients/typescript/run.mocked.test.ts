/** @module-tag long */
import { describe, expect, test, vi } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import { numberedBrands, startAgency } from './agency.ts';
import { startMinutes } from './minutes.ts';

vi.mock(import('../../../clients/typescript/src/wait.ts'), async (original) => {
  const real = await original();
  const { passing } = await import('./minutes.ts');
  return { ...real, wait: passing(real.wait) };
});

const BRANDS = 20;
const names = numberedBrands(BRANDS).map(({ name }) => name);

/** The Monday run: two documents of each brand. `midway` is called before the tenth brand is read. */
async function readReport(sightline: Sightline, midway: () => unknown = () => undefined): Promise<string[]> {
  const read: string[] = [];
  for await (const { id } of sightline.brands()) {
    if (read.length === 9) await midway();
    const { data } = await sightline.getVisibility(id);
    await sightline.getResults(id);
    read.push(data.brand.name);
  }
  return read;
}

describe('in the middle of a run over 20 brands', () => {
  test('the network or the gateway is away for five seconds: the run waits and continues', async () => {
    const { client, wire } = await startAgency(BRANDS);
    const minutes = startMinutes();
    const pull = async () => {
      await wire.unplug();
      minutes.after(5000, () => wire.plug());
    };
    expect(await readReport(client(), pull)).toEqual(names);
    expect(minutes.passed()).toBeGreaterThanOrEqual(5000);
  });

  test('the allowance is used up: the iterator waits for the next minute, before a request is refused', async () => {
    const { client, wire } = await startAgency(BRANDS, 20);
    const minutes = startMinutes();
    expect(await readReport(client())).toEqual(names);
    expect(wire.exchanges.filter(({ status }) => status !== 200)).toEqual([]);
    expect(wire.exchanges).toHaveLength(1 + 2 * BRANDS);
    // 41 requests, 20 a minute, two at a time: the third minute has begun.
    expect(minutes.passed()).toBe(2 * 60_000);
  });

  test('the allowance is used up by others: the run waits for Retry-After and continues', async () => {
    const { client, gateway, wire } = await startAgency(BRANDS, 60);
    const minutes = startMinutes();
    const other = client({ maxRetries: 0 });
    const use = async () => {
      for (let left = 1; left > 0;) left = (await other.listBrands()).rateLimit!.remaining;
    };
    expect(await readReport(client(), use)).toEqual(names);
    expect(wire.exchanges.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(minutes.passed()).toBeGreaterThanOrEqual(60_000);
    expect(minutes.passed()).toBeLessThan(61_000);
    expect(gateway.observed.failures).toEqual([]);
  });

  test('an allowance smaller than the requests of one brand: the run continues slowly', async () => {
    const { client } = await startAgency(4, 1);
    const minutes = startMinutes();
    const read = await readReport(client());
    expect(read).toEqual(names.slice(0, 4));
    expect(minutes.passed()).toBeGreaterThanOrEqual(8 * 60_000);
    expect(minutes.passed()).toBeLessThan(8 * 61_000);
  });

  test('the key is revoked: the run ends at once', async () => {
    const { client, gateway, wire } = await startAgency(BRANDS);
    const run = readReport(client(), () => gateway.records.revokeKey(gateway.key.slice(0, 12)));
    await expect(run).rejects.toMatchObject({ code: 'invalid_key', status: 401 });
    expect(wire.exchanges.map(({ status }) => status).slice(-2)).toEqual([200, 401]);
  });

  test('responses out of order: the lowest remaining number counts', async () => {
    const minutes = startMinutes();
    let used = 0;
    const reset = String(Date.now() / 1000 + 60);
    const fetch = async () => {
      used += 1;
      const remaining = String(10 - used);
      const headers = {
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': reset,
      };
      // The first of the four documents of a brand arrives last.
      for (let turn = used % 4 === 2 ? 9 : 0; turn > 0; turn--) await Promise.resolve();
      return Response.json({ data: numberedBrands(3) }, { headers });
    };
    const sightline = new Sightline({ baseUrl: 'http://127.0.0.1', apiKey: 'vis_any', fetch });
    const waited: number[] = [];
    for await (const { id } of sightline.brands()) {
      waited.push(minutes.passed());
      await Promise.all(Array.from({ length: 4 }, () => sightline.getVisibility(id)));
    }
    // 1 and 4 and 4 requests leave 1 of 10.
    expect(waited).toEqual([0, 0, 60_000]);
  });
});
