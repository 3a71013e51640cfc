import { describe, expect, test } from 'vitest';
import { countOf, percentile, record } from '../tools/load/histogram.ts';
import type { Histogram } from '../tools/load/histogram.ts';
import { summarize } from '../tools/load/report.ts';
import type { Report } from '../tools/load/report.ts';
import { sumOf } from '../tools/load/tally.ts';
import type { Tally } from '../tools/load/tally.ts';
import type { LoadOptions } from '../tools/load/types.ts';
import { setStage, usualOptions } from './stage.ts';

/** The report of a load that one process sent with an idle event loop, to a gateway whose metrics are not known. */
function reportOf(tally: Tally, options: Partial<LoadOptions> = {}, utilization = 0.1): Report {
  const sent = { tally, utilization, cpuSeconds: 1 };
  return summarize({ ...usualOptions, ...options }, 1, sent, 'no metrics');
}

const within = (ms: number) => ({ least: ms * 0.999, most: ms * 1.011 });
function expectNear(measured: number, ms: number): void {
  expect(measured).toBeGreaterThanOrEqual(within(ms).least);
  expect(measured).toBeLessThanOrEqual(within(ms).most);
}

describe('a load', () => {
  test('is sent at its rate, whether the gateway keeps up or not', async () => {
    const stage = setStage();
    const report = reportOf(await stage.send({}, () => ({ status: 200, ms: 30 })));
    expect([report.requests, Math.round(report.rate), report.passed]).toEqual([500, 100, true]);
    expectNear(report.latency.p50, 30);
  });

  test('keeps its rate when one response is slow', async () => {
    const stage = setStage();
    const report = reportOf(await stage.send({}, (n) => ({ status: 200, ms: n === 0 ? 5000 : 2 })));
    expect([Math.round(report.rate), report.passed]).toEqual([100, true]);
    expectNear(report.latency.p50, 2);
    expectNear(report.latency.max, 5000);
  });

  test('counts the wait behind a stalled gateway from the due time', async () => {
    const stage = setStage();
    const tally = await stage.send({ connections: 1, duration: 2 }, (n) => ({
      status: 200,
      ms: n === 0 ? 1000 : 1,
    }));
    // The requests that were due while the first was under way waited for up to a second.
    const waited = reportOf(tally).seconds[0]!;
    expect(waited.requests).toBe(100);
    const ofFirstSecond: Histogram = tally.seconds[0]!;
    expect(percentile(ofFirstSecond, 0.5)).toBeGreaterThan(400);
    expect(percentile(tally.seconds[1]!, 0.5)).toBeLessThan(60);
  });

  test('ends when a gateway hangs, and calls no request of it a success', async () => {
    const stage = setStage();
    const options = { connections: 8, rate: 20, duration: 2, timeLimit: 3 };
    const report = reportOf(await stage.send(options, () => 'hangs'), options);
    expect(stage.clock.now()).toBeLessThan(5100);
    expect(report.wrong).toBe(40);
    expect(report.complaints.reduce((sum, { times }) => sum + times, 0)).toBe(40);
    expect(report.complaints.map(({ complaint }) => complaint)).toContain('no response within 3 s');
    expect(report.latency.max).toBe(0);
    expect([report.passed, report.limit]).toEqual([false, 'gateway']);
  });

  test('gives up requests at their time limit, whether they were sent or not', async () => {
    const options = { connections: 1, rate: 5000, duration: 0.1, timeLimit: 0.05 };
    const tally = await setStage().send(options, () => 'hangs');
    expect(tally.sent).toBeGreaterThan(0);
    expect(Object.fromEntries(tally.complaints)).toEqual({
      'no response within 0.05 s': tally.sent,
      'not sent within 0.05 s: the gateway had not responded on any connection': 500 - tally.sent,
    });
    expect(tally.sent).toBeLessThan(500);
  });

  test('keeps refusals out of the percentiles', async () => {
    const stage = setStage();
    const tally = await stage.send({}, (n) =>
      n % 10 === 0 ? { status: 200, ms: 100 } : { status: 429, ms: 0.2 },
    );
    const report = reportOf(tally);
    expect(report.statuses).toEqual({ 200: 50, 429: 450 });
    expectNear(report.latency.p50, 100);
    expect(report.refusals.requests).toBe(450);
    expect(report.refusals.latency.p50).toBeLessThan(2);
  });

  test('opens another connection for one that broke', async () => {
    const stage = setStage();
    const tally = await stage.send({ connections: 1 }, (n) =>
      n === 3 ? { error: 'read ECONNRESET', ms: 1 } : { status: 200, ms: 1 },
    );
    const report = reportOf(tally);
    expect(report.complaints).toEqual([{ complaint: 'read ECONNRESET', times: 1 }]);
    expect([report.statuses, stage.opened()]).toEqual([{ 200: 499 }, 2]);
  });

  test('has a histogram for every second, and percentiles to p99.9', async () => {
    const stage = setStage();
    const tally = await stage.send({ rate: 1000, duration: 3 }, (n) => ({
      status: 200,
      ms: n < 1000 ? 5 : 20,
    }));
    const report = reportOf(tally);
    expect(report.seconds.map(({ requests }) => requests)).toEqual([1000, 1000, 1000]);
    for (const [second, ms] of [
      [0, 5],
      [1, 20],
      [2, 20],
    ] as const) {
      const edges = report.seconds[second]!.histogram.map(([edge]) => edge);
      expect(Math.min(...edges)).toBeGreaterThanOrEqual(ms);
      expect(Math.max(...edges)).toBeLessThanOrEqual((ms + 1) * 1.011);
    }
    expect(Object.keys(report.latency)).toEqual(['p50', 'p90', 'p99', 'p99.9', 'max']);
  });
});

describe('a load tester that is slower than the rate', () => {
  test('says so, and gives no verdict on the gateway', async () => {
    const options = { rate: 1000, duration: 2, p99: 50 };
    const tally = await setStage(2).send(options, () => ({ status: 500, ms: 1 }));
    const report = reportOf(tally, options, 0.99);
    expect([report.passed, report.limit]).toEqual([false, 'tester']);
    expect(report.reason).toMatch(/^the load tester was the limit: 500 of 1,000 a second, \d+\.\d ms late/);
    expect(report.objectives.map(({ objective, held }) => [objective, held])).toEqual([
      ['at least 99 % of the rate sent', false],
      ['lag of sending (p99) below 10 ms', false],
      ['wrong responses at most 0 %', null],
      ['p99 within 50 ms', null],
    ]);
  });

  test('is not taken for a slow gateway if only its event loop was busy', async () => {
    // All connections wait, because the load tester does not get to read responses.
    const tally = await setStage().send({ connections: 1 }, () => ({ status: 200, ms: 100 }));
    expect(reportOf(tally, {}, 0.97).limit).toBe('tester');
    expect(reportOf(tally, {}, 0.2).limit).toBe('gateway');
  });
});

describe('several processes', () => {
  test('send together what one would send', async () => {
    const options = { rate: 100, duration: 1.01, connections: 3 };
    const parts = [];
    for (const index of [0, 1]) {
      parts.push(await setStage().send(options, () => ({ status: 200, ms: 5 }), { index, of: 2 }));
    }
    expect(parts.map(({ due }) => due)).toEqual([51, 50]);
    const sum = sumOf(parts);
    const report = reportOf(sum, options);
    expect([report.requests, Math.round(report.rate)]).toEqual([101, 99]);
    expect(report.statuses).toEqual({ 200: 101 });
    expect(countOf(sum.lag)).toBe(101);
  });
});

describe('a histogram', () => {
  test('has percentiles at most 1 % above the values', () => {
    const hundred: Histogram = new Map();
    for (let ms = 1; ms <= 100; ms++) record(hundred, ms);
    for (const [share, ms] of [
      [0.5, 50],
      [0.99, 99],
      [0.999, 100],
      [1, 100],
    ] as const) {
      expectNear(percentile(hundred, share), ms);
    }
    expect(percentile(new Map(), 0.5)).toBe(0);
  });
});
