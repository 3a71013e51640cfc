import { describe, expect, test } from 'vitest';
import type { Connection } from '../tools/load/connection.ts';
import { findHighestRate } from '../tools/load/ramp.ts';
import { summarize } from '../tools/load/report.ts';
import type { Report } from '../tools/load/report.ts';
import { sendPart } from '../tools/load/send.ts';
import type { Answer, Ask, LoadOptions } from '../tools/load/types.ts';

const usualOptions: LoadOptions = {
  url: 'http://127.0.0.1:8080',
  key: ['vis_1'],
  rate: 100,
  duration: 5,
  connections: 64,
  timeLimit: 10,
  conditional: 0,
  wrongKeys: 0,
  unknownBrands: 0,
  history: 0,
  limited: 0,
  sample: 0,
  attained: 0.99,
  lag: 10,
  errors: 0,
};

/** What a gateway does with a request: responds after some milliseconds, breaks the connection, or hangs. */
type Reaction = { status: number; ms: number } | { error: string; ms: number } | 'hangs';

const ask: Ask = {
  operation: 'listBrands',
  answer: 'brands',
  path: '/api/v1/brands',
  headers: {},
  expected: [200, 429],
  isSample: false,
};

/**
 * The report of a load on a clock that passes only when nothing else is to be done.
 * @param react of the gateway to the n-th request, from 0
 * @param tester what drawing a request costs it in milliseconds, and how busy its event loop was
 */
async function report(
  changed: Partial<LoadOptions>,
  react: (n: number) => Reaction,
  gateway: Parameters<typeof summarize>[3] = 'no metrics',
  tester = { costMs: 0, utilization: 0.1 },
): Promise<Report> {
  const options = { ...usualOptions, ...changed };
  let [now, requests] = [0, 0];
  const timers: { at: number; callback: () => void }[] = [];
  const after = (ms: number, callback: () => void) => void timers.push({ at: now + ms, callback });
  const open = (): Connection => {
    let hanging: ((error: Error) => void) | undefined;
    const connection = {
      isClosed: false,
      send(_ask: unknown, _wantsBody: boolean, done: (result: Answer | Error) => void) {
        const reaction = react(requests++);
        if (reaction === 'hangs') hanging = done;
        else
          after(reaction.ms, () => {
            connection.isClosed = 'error' in reaction;
            if ('error' in reaction) done(new Error(reaction.error));
            else done({ status: reaction.status, headers: {}, body: null });
          });
      },
      close(error: Error) {
        connection.isClosed = true;
        hanging?.(error);
      },
    };
    return connection;
  };
  const next = () => {
    now += tester.costMs;
    return ask;
  };
  const ended = sendPart({
    options,
    part: { index: 0, of: 1 },
    plan: { next, learn: () => undefined },
    check: ({ expected }, { status }) => (expected.includes(status) ? null : `status ${status}`),
    open,
    clock: { now: () => now, after },
  });
  while (timers.length > 0) {
    const first = timers.reduce((least, timer) => (timer.at < least.at ? timer : least));
    timers.splice(timers.indexOf(first), 1);
    now = Math.max(now, first.at);
    first.callback();
  }
  const tally = await ended;
  tally.utilization = tester.utilization;
  return summarize(options, 1, tally, gateway);
}

const ok = (ms: number) => ({ status: 200, ms });
/** Percentiles are at most 1 % too high; the clock is looked at every millisecond. */
const near = (ms: number): number =>
  expect.toSatisfy((measured: number) => measured > ms * 0.999 && measured < ms * 1.011 + 1) as number;
const percentiles = (p50: number, p99: number, max: number) => ({
  p50: near(p50),
  p99: near(p99),
  'p99.9': near(max),
  max: near(max),
});

describe('a load', () => {
  test.each<[string, Partial<LoadOptions>, (n: number) => Reaction, object]>([
    [
      'keeps its rate when one response is slow, and has a histogram for every second',
      { duration: 2 },
      (n) => ok(n === 0 ? 5000 : 2),
      {
        requests: 200,
        rate: near(100),
        passed: true,
        latency: percentiles(2, 2, 5000),
        seconds: [
          {
            second: 0,
            requests: 100,
            histogram: [
              [near(2), 99],
              [near(5000), 1],
            ],
          },
          { second: 1, requests: 100, histogram: [[near(2), 100]] },
        ],
      },
    ],
    [
      'counts the wait behind a stalled gateway from the due time',
      { connections: 1, duration: 2 },
      (n) => ok(n === 0 ? 1000 : 0),
      { seconds: [{ requests: 100 }, { requests: 100 }], latency: { p90: near(800), max: near(1000) } },
    ],
    [
      'ends when a gateway hangs, and calls no request of it a success',
      { connections: 1, rate: 5000, duration: 0.1, timeLimit: 0.05 },
      () => 'hangs',
      {
        wrong: 500,
        latency: { max: 0 },
        passed: false,
        limit: 'gateway',
        complaints: [
          {
            complaint: 'not sent within 0.05 s: the gateway had not responded on any connection',
            times: 399,
          },
          { complaint: 'no response within 0.05 s', times: 101 },
        ],
      },
    ],
    [
      'keeps refusals out of the percentiles',
      {},
      (n) => (n % 10 === 0 ? ok(100) : { status: 429, ms: 1 }),
      {
        statuses: { 200: 50, 429: 450 },
        latency: percentiles(100, 100, 100),
        refusals: { requests: 450, latency: percentiles(1, 1, 1) },
      },
    ],
    [
      'opens another connection for one that broke',
      { connections: 1 },
      (n) => (n === 3 ? { error: 'read ECONNRESET', ms: 1 } : ok(1)),
      { complaints: [{ complaint: 'read ECONNRESET', times: 1 }], statuses: { 200: 499 } },
    ],
  ])('%s', async (_, options, react, expected) => {
    expect(await report(options, react)).toMatchObject(expected);
  });
});

describe('what was the limit', () => {
  const slow = { costMs: 2, utilization: 0.99 };

  test('is the load tester if it is slower than the rate: then there is no verdict on the gateway', async () => {
    const options = { rate: 1000, duration: 2, p99: 50 };
    const found = await report(options, () => ({ status: 500, ms: 1 }), 'no metrics', slow);
    expect(found).toMatchObject({ passed: false, limit: 'tester' });
    expect(found.reason).toMatch(/^the load tester was the limit: 500 of 1,000 a second, \d+\.\d ms late/);
    expect(found.objectives.map(({ objective, held }) => [objective, held])).toEqual([
      ['at least 99 % of the rate sent', false],
      ['lag of sending (p99) below 10 ms', false],
      ['wrong responses at most 0 %', null],
      ['p99 within 50 ms', null],
    ]);
  });

  const usage = { requests: 500, cpuSeconds: 2 };
  test.each([
    ['an event loop that was busy', { costMs: 0, utilization: 0.97 }, 'no metrics', 'tester', /late/],
    [
      'an idle gateway that waited for its records',
      undefined,
      { ...usage, cpuShare: 0.3, recordsShare: 0.95 },
      'records',
      /^the records were the limit: .*waited for them 95 % of the time$/,
    ],
    [
      'a gateway that used its core',
      undefined,
      { ...usage, cpuShare: 0.97, recordsShare: 0.95 },
      'gateway',
      /^the gateway was/,
    ],
    ['a gateway without metrics', undefined, 'ECONNREFUSED', 'gateway', /or its records \(--metrics tells/],
  ])('is found behind connections that all wait: %s', async (_, tester, gateway, limit, reason) => {
    const found = await report({ connections: 1 }, () => ok(100), gateway, tester);
    expect(found).toMatchObject({ limit, reason: expect.stringMatching(reason) as string });
  });
});

const found = (rate: number, passed: boolean) =>
  ({ wantedRate: rate, passed, limit: passed ? null : 'gateway', reason: 'slow' }) as Report;

describe('a ramp', () => {
  test.each<[string, number, (rate: number, n: number) => boolean, object]>([
    ['the highest rate to a tenth', Infinity, (rate) => rate <= 1000, { highest: 951, limit: 'gateway' }],
    ['no rate if the first missed an objective twice', 300, () => false, { highest: null, limit: 'gateway' }],
    ['a rate that failed once', 200, (_rate, n) => n > 0, { highest: 200, limit: 'allowance' }],
  ])('finds %s', async (_, rate, keeps, expected) => {
    let loads = 0;
    const ramp = await findHighestRate(100, { rate, reason: 'the allowance' }, (each) =>
      Promise.resolve(found(each, keeps(each, loads++))),
    );
    expect(ramp).toMatchObject(expected);
    expect(ramp.steps.length).toBeLessThan(15);
  });
});
