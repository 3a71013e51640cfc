import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { AdmissionQueue } from '../../../gateway/admission/admission.ts';
import type { AdmissionObserver, AdmissionOptions } from '../../../gateway/admission/admission.ts';
import { admissionsOf, FAILED } from '../../../gateway/admission/allowance.ts';
import type { Records } from '../../../gateway/records/records.ts';
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

describe('the remaining allowance of a batch', () => {
  test('is used up completely, in the order of arrival, and never exceeded', () => {
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
});

/** Records that respond when the test lets them. */
function slowRecords() {
  const asked: { uses: readonly KeyUse[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const records: Pick<Records, 'admit'> = {
    admit: (uses) =>
      new Promise((resolve, reject) => {
        asked.push({
          uses,
          answer: () => resolve(uses.map((_, index) => counted(index, 'w', 1, 1000))),
          fail: reject,
        });
      }),
  };
  return { records, asked };
}

const quiet: AdmissionObserver = { batchAnswered: () => undefined, admissionFailed: () => undefined };
const usual: AdmissionOptions = { batchesAtOnce: 1, longestQueue: 100, maxWaitMs: 60_000, observer: quiet };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the admission queue', () => {
  afterEach(() => vi.useRealTimers());

  test('looks up each key once, at most 64 requests at a time, in the order of arrival, with a turn of the event loop in between', async () => {
    const told: (string | number[])[] = [];
    const keys = Array.from({ length: 7 }, (_, n) => `key ${n}`);
    const idOf = new Map(keys.map((key, n) => [sha256(key), n]));
    const records = {
      admit: (uses: readonly KeyUse[]) => {
        told.push([uses.length, uses.reduce((sum, { requests }) => sum + requests, 0)]);
        return uses.map(({ hash }) => counted(idOf.get(hash)!, 'w', 4, 1000));
      },
    };
    const gate = new AdmissionQueue(records, { ...usual, longestQueue: 1000 });
    const answered: number[] = [];
    const all = Array.from({ length: 150 }, async (_, n) => {
      expect((await gate.admit(keys[n % 7]!)).keyId).toBe(n % 7);
      answered.push(n);
    });
    expect(gate.waiting()).toBe(150);
    for (let turns = 0; turns < 3; turns++) {
      await turn();
      told.push('turn');
    }
    await Promise.all(all);
    expect(told).toEqual([[7, 64], 'turn', [7, 64], 'turn', [7, 22], 'turn']);
    expect(answered).toEqual(answered.toSorted((a, b) => a - b));
    expect(gate.waiting()).toBe(0);
  });

  test('reports ten failures in a row, also if the records answer a ping, until one batch succeeds', async () => {
    const { records, asked } = slowRecords();
    const errors: unknown[] = [];
    const admissionFailed = (error: unknown) => void errors.push(error);
    const gate = new AdmissionQueue(records, { ...usual, observer: { ...quiet, admissionFailed } });
    const fail = async () => {
      const failed = gate.admit('a');
      while (asked.length === 0) await turn();
      asked.pop()!.fail(new Error('database or disk is full'));
      expect(await failed).toBe(FAILED);
    };
    for (let n = 0; n < 9; n += 1) await fail();
    gate.demandAdmissions();
    await fail();
    const reason = 'the last 10 admissions have failed: database or disk is full';
    expect(() => gate.demandAdmissions()).toThrow(reason);
    expect(errors.map(String)).toEqual(Array(10).fill('Error: database or disk is full'));
    const admitted = gate.admit('a');
    while (asked.length === 0) await turn();
    asked[0]!.answer();
    await admitted;
    gate.demandAdmissions();
  });

  test('gives up on records that do not respond, and ignores late responses', async () => {
    const { records, asked } = slowRecords();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gate = new AdmissionQueue(records, { ...usual, maxWaitMs: 5 });
    const waiting = [gate.admit('a')];
    await turn();
    waiting.push(gate.admit('b')); // behind the batch that hangs
    vi.advanceTimersByTime(5);
    expect(await Promise.all(waiting)).toEqual([FAILED, FAILED]);
    asked[0]!.answer();
    await turn();
    const next = gate.admit('c');
    await turn();
    asked[1]!.answer();
    expect(await next).toMatchObject({ refused: null });
    expect(asked.map(({ uses }) => uses.map(({ hash }) => hash))).toEqual([[sha256('a')], [sha256('c')]]);
  });
});
