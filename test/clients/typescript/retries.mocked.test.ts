import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Sightline, SightlineError } from '../../../clients/typescript/src/index.ts';
import { errorTable } from '../../../lib/errors.ts';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { faultProxy, faults } from '../../support/fault-proxy.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { startServer } from '../../support/http-server.ts';
import { startAgency } from './agency.ts';
import { startMinutes } from './minutes.ts';

vi.mock(import('../../../clients/typescript/src/wait.ts'), async (original) => {
  const real = await original();
  const { passing } = await import('./minutes.ts');
  return { ...real, wait: passing(real.wait) };
});

const KEY = `vis_${'0123456789ab'.repeat(4)}`;

/** The error that a method throws. */
async function thrownBy(work: Promise<unknown>): Promise<SightlineError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SightlineError);
  return error as SightlineError;
}

describe('retried', () => {
  const passing = faults.filter((fault) => fault !== 'damaged');

  test.each(passing)('"%s" twice: the third response is returned', async (fault) => {
    const { client, wire, brands } = await startAgency(1);
    startMinutes();
    const proxy = await faultProxy(wire.url, (number) => (number <= 2 ? fault : null));
    onTestFinished(() => proxy.close());
    const timeoutMs = fault === 'stalled' ? 200 : 60_000;
    const { data } = await client({ baseUrl: proxy.endpoint, timeoutMs }).listBrands();
    expect(data).toEqual(brands);
    expect(proxy.met.get(fault)).toBe(fault === 'slow' ? 1 : 2);
  });

  test.each<[Fault, string, number | null]>([
    ['refused 503', 'bad_response', 503],
    ['lost', 'network', null],
    ['half', 'network', null],
    ['stalled', 'timeout', null],
  ])('"%s" for ever: %s, after maxRetries', async (fault, code, status) => {
    const { client, wire } = await startAgency(1);
    startMinutes();
    const proxy = await faultProxy(wire.url, () => fault);
    onTestFinished(() => proxy.close());
    const timeoutMs = fault === 'stalled' ? 200 : 60_000;
    const sightline = client({ baseUrl: proxy.endpoint, timeoutMs, maxRetries: 1 });
    expect(await thrownBy(sightline.listBrands())).toMatchObject({ code, status });
    expect(proxy.met.get(fault)).toBe(2);
  });

  test('the API’s own 500: six attempts, with pauses that double and vary', async () => {
    const { client, gateway, wire } = await startAgency(1);
    const minutes = startMinutes();
    gateway.records.admit = () => {
      throw new Error('no database');
    };
    const error = await thrownBy(client().listBrands());
    expect(error).toMatchObject({ code: 'internal', status: 500, requestId: expect.any(String) });
    expect(wire.exchanges.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500, 500]);
    // 0.5, 1, 2, 4 and 8 s, of which the upper half is random.
    expect(minutes.passed()).toBeGreaterThanOrEqual(7_750);
    expect(minutes.passed()).toBeLessThan(15_500);
    const shares = minutes.waits.map((ms, attempt) => ms / (500 * 2 ** attempt));
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...shares)).toBeLessThan(1);
    expect(new Set(shares).size).toBe(5);
  });
});

describe('not retried', () => {
  test('401, 402 and 404, with all details of the API', async () => {
    const { client, gateway, wire } = await startAgency(1);
    const sightline = client();
    const expectOnce = async (work: Promise<unknown>, code: keyof typeof errorTable) => {
      wire.exchanges.length = 0;
      const error = await thrownBy(work);
      const { status, message } = errorTable[code];
      expect(error).toMatchObject({ name: 'SightlineError', code, status, retryAfterSeconds: null });
      expect(error.message).toBe(
        `/api/v1/${wire.exchanges[0]!.path.slice('/api/v1/'.length)}: ${code}: ${message}`,
      );
      expect(error.requestId).toMatch(/^[\w-]{10,}$/);
      expect(wire.exchanges).toHaveLength(1);
    };
    await expectOnce(sightline.getVisibility('0b5ef0a4-3a6e-4f0f-9c57-ffffffffffff'), 'not_found');
    await setPlan(gateway.records, workspaceId, 'starter', null);
    await expectOnce(sightline.listBrands(), 'plan_required');
    await expectOnce(client({ apiKey: KEY }).listBrands(), 'invalid_key');
  });

  test.each([
    ['a page of a proxy with 200', 200, {}, '<html>'],
    ['JSON null', 200, {}, 'null'],
    ['304 without a stored response', 304, {}, ''],
    ['a redirect', 301, { location: 'https://example.com/' }, ''],
    ['401 with another code', 401, {}, '{"error":{"code":"other","message":"no"}}'],
  ])('%s is a bad response', async (_what, status, headers, body) => {
    let requests = 0;
    const baseUrl = await startServer((_request, response) => {
      requests += 1;
      response.writeHead(status, headers).end(body);
    });
    const error = await thrownBy(new Sightline({ baseUrl, apiKey: KEY }).listBrands());
    expect(error).toMatchObject({ code: 'bad_response', status });
    expect(error.message).toContain(status === 301 ? 'redirected to https://example.com/' : String(status));
    expect(requests).toBe(1);
  });
});

/** A server that refuses every other request. */
function startRefusing(retryAfter: string | undefined, status = 429, date?: string): Promise<string> {
  let requests = 0;
  return startServer((_request, response) => {
    requests += 1;
    if (requests % 2 === 0) return response.writeHead(200).end('{"data":[]}');
    response.sendDate = false;
    const headers = { ...(retryAfter !== undefined && { 'retry-after': retryAfter }), ...(date && { date }) };
    return response.writeHead(status, headers).end('{}');
  });
}

describe('Retry-After', () => {
  test.each<[string | undefined, number, number, number?, string?]>([
    ['17', 17_000, 18_000],
    ['0', 250, 500],
    [undefined, 250, 500],
    // A date: by the clock of the response, or by this one (see minutes.ts) if the response has no date.
    ['Wed, 21 Oct 2026 07:28:00 GMT', 40_000, 41_000, 429, 'Wed, 21 Oct 2026 07:27:20 GMT'],
    ['Mon, 23 Nov 2026 06:30:20 GMT', 20_000, 21_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 250, 500],
    ['Wed, 99 Oct 2026 07:28:00 GMT', 250, 500],
    ['30', 30_000, 31_000, 503],
  ])('%s: waits so long, and up to a second longer', async (retryAfter, least, most, status = 429, date) => {
    const baseUrl = await startRefusing(retryAfter, status, date);
    const minutes = startMinutes();
    const sightline = new Sightline({ baseUrl, apiKey: KEY });
    expect((await sightline.listBrands()).data).toEqual([]);
    expect(minutes.passed()).toBeGreaterThanOrEqual(least);
    expect(minutes.passed()).toBeLessThanOrEqual(most);
    expect(minutes.passed() % 1000).not.toBe(0); // not all programs at once
  });

  test('more than two minutes: returned to the caller at once', async () => {
    const sightline = new Sightline({ baseUrl: await startRefusing('3600'), apiKey: KEY });
    expect(await thrownBy(sightline.listBrands())).toMatchObject({ status: 429, retryAfterSeconds: 3600 });
  });
});

describe('the caller’s signal', () => {
  const reason = new Error('enough');

  test.each(['request', 'wait'])('ends a %s', async (what) => {
    let requests = 0;
    const controller = new AbortController();
    const baseUrl = await startServer((_request, response) => {
      requests += 1;
      if (what === 'request') return controller.abort(reason);
      response.writeHead(429, { 'retry-after': '60' }).end();
      response.on('close', () => setImmediate(() => controller.abort(reason)));
    });
    const work = new Sightline({ baseUrl, apiKey: KEY }).listBrands({ signal: controller.signal });
    await expect(work).rejects.toBe(reason);
    expect(requests).toBe(1);
  });

  test('aborted before: no request is sent', async () => {
    let requests = 0;
    const sightline = new Sightline({ baseUrl: await startServer(() => (requests += 1)), apiKey: KEY });
    const signal = AbortSignal.abort(reason);
    await expect(sightline.listBrands({ signal })).rejects.toBe(reason);
    await expect(sightline.brands({ signal }).next()).rejects.toBe(reason);
    expect(requests).toBe(0);
  });
});
