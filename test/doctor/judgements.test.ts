import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeClock } from '../../infra/doctor/clock.ts';
import { findRoom } from '../../infra/doctor/disk.ts';
import { judgeNode } from '../../infra/doctor/machine.ts';
import { examinePart } from '../../infra/doctor/parts.ts';
import { readConfig } from '../../lib/config.ts';
import type { ObjectStore } from '../../lib/store/store.ts';

test.each([
  ['26.10.0', '>=26', 'ok'],
  ['27.0.0', '>=26', 'ok'],
  ['24.9.0', '>=26', 'failure'],
])('Node %s with engines.node %s: %s', (version, engines, state) => {
  expect(judgeNode(version, engines).state).toBe(state);
});

// Asked between 100,000 and 100,400 of our clock.
const judged = (theirs: number, stepMs = 0) => {
  const { state, found } = judgeClock('clock', 'the other', {
    theirs,
    before: 100_000,
    after: 100_400,
    stepMs,
  });
  return `${state}: ${found}`;
};

describe('a clock', () => {
  test.each([
    [100_000, 'ok: no difference to be seen from the other'],
    [100_400, 'ok: no difference to be seen from the other'],
    [99_000, 'ok: this machine is 1.0 s ahead of the other'],
    [97_000, 'warning: this machine is 3.0 s ahead of the other'],
    [103_400, 'warning: this machine is 3.0 s behind the other'],
    [160_400, 'failure: this machine is 60.0 s behind the other'],
    [40_000, 'failure: this machine is 60.0 s ahead of the other'],
  ])('that says %i', (theirs, found) => {
    expect(judged(theirs)).toBe(found);
  });
  test('that shows whole seconds may be up to one second later than it shows', () => {
    expect(judged(99_000, 1000)).toBe('ok: no difference to be seen from the other');
  });
});

test('free space is checked in the nearest existing folder', async () => {
  const { found } = await findRoom('disk', join(tmpdir(), 'not', 'there', 'yet'), 'or take a larger one');
  expect(found).toMatch(new RegExp(` [GM]B free at ${tmpdir()}$`));
});

test('a part whose examination breaks off is a finding', async () => {
  const config = readConfig({});
  const broken = {
    list: () => {
      throw new TypeError('not a function');
    },
  } as unknown as ObjectStore;
  const examined = { config, store: broken, lake: broken, probeWrites: false };
  const [finding, ...others] = await examinePart('lake', examined);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    subject: 'lake',
    state: 'failure',
    remedy: 'this is a defect: please report it',
  });
});
