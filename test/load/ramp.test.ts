import { describe, expect, test } from 'vitest';
import { findHighestRate } from '../tools/load/ramp.ts';
import { summarize } from '../tools/load/report.ts';
import type { Report } from '../tools/load/report.ts';
import { judge } from '../tools/load/verdict.ts';
import type { Verdict } from '../tools/load/verdict.ts';
import { usualOptions, setStage } from './stage.ts';

const unlimited = { rate: Infinity, reason: '' };

/** The report of a load on a gateway that responds on its 64 connections as fast as it can, up to a rate. */
async function loadOn(capacity: number, rate: number): Promise<Report> {
  const options = { ...usualOptions, rate, duration: 2, connections: 4, timeLimit: 60 };
  const stage = setStage();
  const tally = await stage.send(options, () => ({ status: 200, ms: 4000 / capacity }));
  return summarize(options, 1, { tally, utilization: 0.2, cpuSeconds: 1 }, 'no metrics');
}

describe('a ramp', () => {
  test('finds the highest rate to a tenth, and names what was the limit', async () => {
    const { highest, limit, reason, steps } = await findHighestRate(
      100,
      unlimited,
      async (rate) => await loadOn(1000, rate),
    );
    expect(highest).toBeGreaterThan(850);
    expect(highest).toBeLessThanOrEqual(1010);
    expect(limit).toBe('gateway');
    expect(reason).toContain('was the limit');
    expect(steps.slice(0, 4).map(({ wantedRate }) => wantedRate)).toEqual([100, 200, 400, 800]);
    expect(steps.length).toBeLessThan(15);
  });

  test('ends at the rate that the allowance covers', async () => {
    const most = { rate: 300, reason: 'the workspace allows 18000 a minute' };
    const found = await findHighestRate(100, most, async (rate) => await loadOn(1000, rate));
    expect(found).toMatchObject({ highest: 300, limit: 'allowance', reason: most.reason });
    expect(found.steps.map(({ wantedRate }) => wantedRate)).toEqual([100, 200, 300]);
  });

  test('says that no rate kept the objectives if the first did not', async () => {
    const found = await findHighestRate(100, unlimited, async (rate) => await loadOn(50, rate));
    expect([found.highest, found.limit, found.steps.length]).toEqual([null, 'gateway', 2]);
  });

  test('tests a rate again that failed once', async () => {
    let isFirst = true;
    const most = { rate: 200, reason: 'the allowance' };
    const found = await findHighestRate(100, most, async (rate) => {
      const capacity = isFirst ? 20 : 1000;
      isFirst = false;
      return await loadOn(capacity, rate);
    });
    expect(found.highest).toBe(200);
  });
});

/** The verdict on a load that waited for a gateway with this usage. */
async function limitWith(gateway: Parameters<typeof judge>[3]): Promise<Verdict> {
  const options = { ...usualOptions, rate: 100, connections: 1 };
  const tally = await setStage().send(options, () => ({ status: 200, ms: 100 }));
  return judge(options, { tally, utilization: 0.2, cpuSeconds: 1 }, new Map(), gateway);
}

describe('what was the limit', () => {
  const usage = { requests: 500, cpuSeconds: 2 };

  test('is the records if an idle gateway waited for them', async () => {
    const { limit, reason } = await limitWith({ ...usage, cpuShare: 0.3, recordsShare: 0.95 });
    expect(limit).toBe('records');
    expect(reason).toMatch(/^the records were the limit: .*waited for them 95 % of the time$/);
  });

  test('is the gateway if it used its core, or if it waited for something else', async () => {
    expect((await limitWith({ ...usage, cpuShare: 0.97, recordsShare: 0.95 })).limit).toBe('gateway');
    expect((await limitWith({ ...usage, cpuShare: 0.3, recordsShare: 0.2 })).limit).toBe('gateway');
  });

  test('is either of both if the metrics are not known', async () => {
    const { limit, reason } = await limitWith('connect ECONNREFUSED');
    expect(limit).toBe('gateway');
    expect(reason).toContain('the gateway, or its records (--metrics tells which), was the limit');
  });
});
