import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AdmissionQueue } from '../../../gateway/admission/admission.ts';
import { admissionsOf, FAILED } from '../../../gateway/admission/allowance.ts';
import { credentialOf } from '../../../gateway/admission/credential.ts';
import { isKey, newKey } from '../../../gateway/records/keys.ts';
import type { KeyStanding, KeyUse } from '../../../gateway/records/standing.ts';

const counted = (keyId: number, workspaceId: string, used: number, limit: number): KeyStanding => ({
  refused: null,
  keyId,
  workspaceId,
  limit,
  used,
  minuteEnds: 1_800_000_060,
  secondsLeft: 7,
});

test('the remaining allowance of a batch is used up completely, in the order of arrival, and never exceeded', () => {
  const keys = fc.array(fc.record({ workspace: fc.nat(2), requests: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(keys, fc.nat(20), fc.nat(20), (asked, before, limit) => {
      const uses = asked.map(({ requests }, index) => ({ hash: String(index), requests }));
      const total = (workspace: number) =>
        asked.filter((use) => use.workspace === workspace).reduce((sum, use) => sum + use.requests, 0);
      const place = admissionsOf(
        uses,
        asked.map(({ workspace }, index) =>
          counted(index, `w${workspace}`, before + total(workspace), limit),
        ),
      );
      const remaining: number[][] = [[], [], []];
      for (const [index, { workspace, requests }] of asked.entries())
        for (let n = 0; n < requests; n++) {
          const admission = place(index);
          if (admission.refused === null) remaining[workspace]!.push(admission.remaining);
        }
      const left = Math.max(0, limit - before);
      const inOrder = (workspace: number) =>
        Array.from({ length: Math.min(left, total(workspace)) }, (_, n) => left - 1 - n);
      expect(remaining).toEqual([0, 1, 2].map(inOrder));
    }),
  );
});

const quiet = { batchAnswered: () => undefined, admissionFailed: () => undefined };
const usual = { batchesAtOnce: 1, longestQueue: 100, maxWaitMs: 60_000, observer: quiet };
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('ten failed admissions in a row are reported, also if the records answer a ping, until one succeeds', async () => {
  let isFull = true;
  const records = {
    admit: (uses: readonly KeyUse[]) => {
      if (isFull) throw new Error('database or disk is full');
      return uses.map((_, index) => counted(index, 'w', 1, 1000));
    },
  };
  const errors: string[] = [];
  const admissionFailed = (error: unknown) => void errors.push(String(error));
  const queue = new AdmissionQueue(records, { ...usual, observer: { ...quiet, admissionFailed } });
  for (let n = 0; n < 9; n += 1) expect(await queue.admit('a')).toBe(FAILED);
  queue.demandAdmissions();
  await queue.admit('a');
  const reason = 'the last 10 admissions have failed: database or disk is full';
  expect(() => queue.demandAdmissions()).toThrow(reason);
  expect(errors).toEqual(Array(10).fill('Error: database or disk is full'));
  isFull = false;
  await queue.admit('a');
  queue.demandAdmissions();
});

test('behind records that do not respond requests wait, fail in time, and are admitted once there is a response', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked: (() => void)[] = [];
  const records = {
    admit: async (uses: readonly KeyUse[]) => {
      await new Promise<void>((respond) => void asked.push(respond));
      return uses.map((_, index) => counted(index, 'w', 1, 1000));
    },
  };
  const queue = new AdmissionQueue(records, { ...usual, maxWaitMs: 5 });
  const waiting = [queue.admit('a')];
  await turn();
  waiting.push(queue.admit('b'));
  await turn();
  expect([asked.length, queue.waiting()]).toEqual([1, 2]);
  vi.advanceTimersByTime(5);
  expect(await Promise.all(waiting)).toEqual([FAILED, FAILED]);
  asked[0]!();
  await turn();
  const next = queue.admit('c');
  await turn();
  asked[1]!();
  expect(await next).toMatchObject({ refused: null });
  expect([asked.length, queue.waiting()]).toEqual([2, 0]);
});

test('the key of a request has one format; anything else is not looked up', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      fc.pre(!isKey(value.trim()));
      expect(credentialOf({ 'x-api-key': [value] }).key).toBeNull();
      expect(credentialOf({ authorization: [value] }).key).toBeNull();
    }),
  );
});

test('of an ambiguous credential the last use of at most four keys is recorded', () => {
  const many = Array.from({ length: 9 }, newKey);
  expect(credentialOf({ 'x-api-key': [many.join(' ')] })).toMatchObject({ named: many.slice(0, 4) });
});
