/** @module-tag long */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import { systemClock } from '../../../lib/clock.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { createKey, setPlan, workspaceId } from '../../gateway/gateway.ts';
import { startGatewayProcess } from '../../support/program.ts';
import { publishBrands } from '../../gateway/snapshots.ts';
import { testLog } from '../../snapshots/publish.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { numberedBrands, startAgency } from './agency.ts';
import { startMinutes } from './minutes.ts';

vi.mock(import('../../../clients/typescript/src/wait.ts'), async (original) => {
  const real = await original();
  const { passing } = await import('./minutes.ts');
  return { ...real, wait: passing(real.wait) };
});

const BRANDS = 50;
const names = numberedBrands(BRANDS).map(({ name }) => name);

/** The Monday run: two documents of each brand. `midway` is called before the 20th brand is read. */
async function readReport(sightline: Sightline, midway: () => unknown = () => undefined): Promise<string[]> {
  const read: string[] = [];
  for await (const { id } of sightline.brands()) {
    if (read.length === 19) await midway();
    const { data } = await sightline.getVisibility(id);
    await sightline.getResults(id);
    read.push(data.brand.name);
  }
  return read;
}

describe('in the middle of a run over 50 brands', () => {
  test('the network fails for five seconds: the run waits and continues', async () => {
    const { client, wire } = await startAgency(BRANDS);
    const minutes = startMinutes();
    const pull = async () => {
      await wire.unplug();
      minutes.after(5000, () => wire.plug());
    };
    expect(await readReport(client(), pull)).toEqual(names);
    expect(minutes.passed()).toBeGreaterThanOrEqual(5000);
  });

  test('the network fails permanently: the run ends with the error', async () => {
    const { client, wire } = await startAgency(BRANDS);
    const minutes = startMinutes();
    const run = readReport(client(), () => wire.unplug());
    await expect(run).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(minutes.passed()).toBeLessThan(60_000);
  });

  test('the gateway is restarted: the run waits and continues', async () => {
    const folder = await temporaryFolder();
    const log = await testLog(folder);
    await publishBrands(log, workspaceId, numberedBrands(BRANDS));
    const records = openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
    await setPlan(records, workspaceId, 'agency', 1000);
    const apiKey = await createKey(records, workspaceId);
    await records.close();
    const settings = {
      STORE_URL: join(folder, 'store'),
      LOG_ORIGIN: log.origin,
      PUBLIC_KEY_FILE: log.keys.publicKey,
      RECORDS_URL: `sqlite:${folder}/records.db`,
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
    };
    let gateway = await startGatewayProcess(settings);
    onTestFinished(() => void gateway.child.kill('SIGKILL'));
    let starting: Promise<unknown> = Promise.resolve();
    const restart = async () => {
      gateway.child.kill('SIGTERM');
      expect(await gateway.ended).toBe(0);
      starting = startGatewayProcess(settings).then((started) => (gateway = started));
    };
    const sightline = new Sightline({ baseUrl: gateway.url, apiKey, maxRetries: 10 });
    expect(await readReport(sightline, restart)).toEqual(names);
    await starting;
  });

  test('the allowance is used up: the iterator waits for the next minute, before a request is refused', async () => {
    const { client, wire } = await startAgency(BRANDS, 20);
    const minutes = startMinutes();
    expect(await readReport(client())).toEqual(names);
    expect(wire.exchanges.filter(({ status }) => status !== 200)).toEqual([]);
    expect(wire.exchanges).toHaveLength(1 + 2 * BRANDS);
    // 101 requests, 20 a minute, two at a time: the sixth minute has begun.
    expect(minutes.passed()).toBe(5 * 60_000);
  });

  test('the allowance is used up by others: the run waits for Retry-After and continues', async () => {
    const { client, gateway, wire } = await startAgency(BRANDS, 150);
    const minutes = startMinutes();
    const other = client({ maxRetries: 0 });
    const use = async () => {
      for (let left = 1; left > 0;) left = (await other.listBrands()).rateLimit!.remaining;
    };
    const run = readReport(client(), use);
    expect(await run).toEqual(names);
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

  test('a signal ends the loop, even if it is not waiting', async () => {
    const { client } = await startAgency(3);
    const controller = new AbortController();
    const brands = client().brands({ signal: controller.signal });
    await brands.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(brands.next()).rejects.toBe(reason);
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

  test('a signal ends the wait for the next minute', async () => {
    const headers = {
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 60),
    };
    const fetch = async () => Response.json({ data: numberedBrands(2) }, { headers });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const controller = new AbortController();
    const sightline = new Sightline({ baseUrl: 'http://127.0.0.1', apiKey: 'vis_any', fetch });
    const next = sightline.brands({ signal: controller.signal }).next();
    const reason = new Error('enough');
    const thrown = next.catch((error: unknown) => error);
    await until(() => timers.mock.calls.some(([, ms]) => ms! > 10_000));
    controller.abort(reason);
    expect(await thrown).toBe(reason);
  });
});
