import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Sightline, SightlineError } from '../../../clients/typescript/src/index.ts';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { numberedBrands } from '../../gateway/snapshots.ts';
import { faultProxy } from '../../support/fault-proxy.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { startServer } from '../../support/http-server.ts';
import { startAgency } from './agency.ts';

const clock = vi.hoisted(() => ({ pass: null as ((ms: number) => void) | null, waiting: () => {} }));

vi.mock(import('../../../clients/typescript/src/wait.ts'), async (original) => {
  const real = await original();
  const wait: typeof real.wait = async (ms, signal) => {
    if (clock.pass !== null) return clock.pass(ms);
    const waited = real.wait(ms, signal);
    clock.waiting();
    await waited;
  };
  return { ...real, wait };
});

/** A clock, from the beginning of a minute, that advances only while the client waits, and then at once. */
function startMinutes() {
  const start = Date.parse('2026-11-23T06:30:00Z');
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  const waits: number[] = [];
  let draws = 0;
  const random = vi.spyOn(Math, 'random').mockImplementation(() => ((draws++ % 5) * 2 + 1) / 10);
  clock.pass = (ms) => {
    waits.push(ms);
    vi.setSystemTime(Date.now() + ms);
  };
  onTestFinished(() => {
    vi.useRealTimers();
    random.mockRestore();
    clock.pass = null;
  });
  return { waits, passed: () => Date.now() - start };
}

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
  test.each<[Fault, string]>([
    ['refused 500', 'bad_response'],
    ['refused 503', 'bad_response'],
    ['lost', 'network'],
    ['half', 'network'],
    ['stalled', 'timeout'],
  ])('"%s": the next response is returned, and after maxRetries it is the error %s', async (fault, code) => {
    const { client, gateway, brands } = await startAgency(1);
    startMinutes();
    const proxy = await faultProxy(gateway.base, (number) => (number <= 3 ? fault : null));
    onTestFinished(() => proxy.close());
    const options = { baseUrl: proxy.endpoint, timeoutMs: fault === 'stalled' ? 200 : 60_000 };
    expect(await thrownBy(client({ ...options, maxRetries: 1 }).listBrands())).toMatchObject({ code });
    expect((await client(options).listBrands()).data).toEqual(brands);
    expect(proxy.met.get(fault)).toBe(3);
  });

  test('the API’s own 500: six attempts, with pauses that double and vary', async () => {
    const { client, gateway, exchanges } = await startAgency(1);
    const minutes = startMinutes();
    gateway.records.admit = () => {
      throw new Error('no database');
    };
    const error = await thrownBy(client().listBrands());
    expect(error).toMatchObject({ code: 'internal', status: 500, requestId: expect.any(String) });
    expect(exchanges.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500, 500]);
    // 0.5, 1, 2, 4 and 8 s, of which the upper half is random: 0.1, 0.3, 0.5, 0.7 and 0.9 of it.
    expect(minutes.waits.map(Math.round)).toEqual([275, 650, 1500, 3400, 7600]);
  });
});

describe('not retried', () => {
  test('401, 402 and 404', async () => {
    const { client, gateway, exchanges } = await startAgency(1);
    const codes = [(await thrownBy(client().getVisibility('0b5ef0a4-3a6e-4f0f-9c57-ffffffffffff'))).code];
    await setPlan(gateway.records, workspaceId, 'starter', null);
    codes.push((await thrownBy(client().listBrands())).code);
    const error = await thrownBy(client({ apiKey: KEY }).listBrands());
    expect([...codes, error.code]).toEqual(['not_found', 'plan_required', 'invalid_key']);
    expect(exchanges.map(({ status }) => status)).toEqual([404, 402, 401]);
    expect(error).toMatchObject({ status: 401, retryAfterSeconds: null });
    expect(error.requestId).toMatch(/^[\w-]{10,}$/);
  });

  test.each([
    ['a page of a proxy with 200', 200, {}, '<html>'],
    ['JSON null', 200, {}, 'null'],
    ['JSON without data', 200, {}, '{}'],
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

/** A client of a server that refuses the first requests. */
async function refusedClient(headers: Record<string, string>, status = 429, refused = 1): Promise<Sightline> {
  let requests = 0;
  const baseUrl = await startServer((_request, response) => {
    requests += 1;
    response.sendDate = false;
    if (requests > refused) response.end('{"data":[]}');
    else response.writeHead(status, headers).end('{}');
  });
  return new Sightline({ baseUrl, apiKey: KEY });
}

describe('Retry-After', () => {
  const date = 'Wed, 21 Oct 2026 07:27:20 GMT';
  test.each<[Record<string, string>, number, number?, number?]>([
    [{ 'retry-after': '17' }, 17_300],
    [{ 'retry-after': '120' }, 120_300],
    [{ 'retry-after': '0' }, 275],
    [{}, 275],
    // A date: by the clock of the response, or by this one if the response has no date.
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT', date }, 40_300],
    [{ 'retry-after': 'Mon, 23 Nov 2026 06:30:20 GMT' }, 20_300],
    [{ 'retry-after': 'Mon, 23 Nov 2026 06:29:00 GMT' }, 275],
    [{ 'retry-after': 'Wed, 99 Oct 2026 07:28:00 GMT' }, 275],
    [{ 'retry-after': '30' }, 30_300, 503],
    [{ 'retry-after': '1' }, 5600, 429, 4],
    [{ 'retry-after': '1' }, 7500, 503, 4],
  ])('%j: waits %i ms, a random part of a second longer', async (headers, ms, status, refused) => {
    const minutes = startMinutes();
    expect((await (await refusedClient(headers, status, refused)).listBrands()).data).toEqual([]);
    expect(Math.round(minutes.passed())).toBe(ms);
  });

  test('more than two minutes: returned to the caller at once', async () => {
    const work = (await refusedClient({ 'retry-after': '121' })).listBrands();
    expect(await thrownBy(work)).toMatchObject({ status: 429, retryAfterSeconds: 121 });
  });
});

test.each([
  ['before', 0],
  ['during a request', 1],
  ['during a wait', 1],
  ['between two brands', 1],
])('a signal that is aborted %s ends the call with its reason', async (when, expected) => {
  const reason = new Error('enough');
  let requests = 0;
  const controller = new AbortController();
  const baseUrl = await startServer((_request, response) => {
    requests += 1;
    if (when === 'during a request') return controller.abort(reason);
    if (when === 'between two brands') return response.end('{"data":[{},{}]}');
    response.writeHead(429, { 'retry-after': '60' }).end();
  });
  clock.waiting = vi.fn<() => void>(() => controller.abort(reason));
  if (when === 'before') controller.abort(reason);
  const brands = new Sightline({ baseUrl, apiKey: KEY }).brands({ signal: controller.signal });
  if (when === 'between two brands') await brands.next().finally(() => controller.abort(reason));
  await expect(brands.next()).rejects.toBe(reason);
  expect(requests).toBe(expected);
  expect(clock.waiting).toHaveBeenCalledTimes(when === 'during a wait' ? 1 : 0);
});

test('a call leaves no timer and no listener behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = new AbortController();
  const baseUrl = await startServer((_request, response) => response.end('{"data":[]}'));
  const { rateLimit } = await new Sightline({ baseUrl, apiKey: KEY }).listBrands({ signal });
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort'), rateLimit]).toEqual([0, [], null]);
});

test('a run over all brands waits for the next minute before the allowance is used up, and no request is refused', async () => {
  const { client, exchanges } = await startAgency(9, 10);
  const minutes = startMinutes();
  const sightline = client();
  const read: string[] = [];
  for await (const { id } of sightline.brands()) {
    read.push((await sightline.getVisibility(id)).data.brand.name);
    await Promise.all([sightline.getResults(id), sightline.getStability(id)]);
  }
  expect(read).toEqual(numberedBrands(9).map(({ name }) => name));
  expect(exchanges.map(({ status }) => status)).toEqual(Array.from({ length: 28 }, () => 200));
  // 28 requests, 10 a minute, three at a time after the first: the third minute has begun.
  expect(minutes.passed()).toBe(120_000);
});
